import type { ApiFailure } from '#api/failure.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const dayMs = 86_400_000

interface LimitStateProps {
  failure: ApiFailure
  onRetry: () => void
  isRetrying: boolean
}

/** A limit of the hour or of the plan: what is used up, and when it goes on. */
export function LimitState({ failure, onRetry, isRetrying }: LimitStateProps) {
  const { param, retryAfterMs } = failure
  const isOfPlan = param === 'search_rows' || param === 'store_exports'
  return (
    <EmptyState
      title={failure.message}
      actions={
        <>
          <Button onPress={onRetry} isPending={isRetrying}>
            Try again
          </Button>
          {isOfPlan && <Link href="/billing">Compare plans</Link>}
        </>
      }
    >
      {retryAfterMs !== undefined && <>It goes on {momentIn(retryAfterMs)}. </>}
      Pages that you have looked at are still in this tab and cost nothing.
    </EmptyState>
  )
}

function momentIn(ms: number): string {
  const moment = new Date(Date.now() + ms)
  return ms < dayMs ? `at ${timeFormat.format(moment)}` : `on ${dateFormat.format(moment)}`
}
