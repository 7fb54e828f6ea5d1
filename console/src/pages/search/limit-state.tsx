import { Link } from '@tanstack/react-router'
import type { ApiFailure } from '#api/failure.ts'
import { Button, buttonClass } from '#ui/actions/button.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const dayMs = 86_400_000

interface LimitStateProps {
  failure: ApiFailure
  onRetry: () => void
  isRetrying: boolean
}

/** What is used up, by the parameter that the server names. Its own sentence is for programs. */
const titles: Record<string, string> = {
  search_rows: 'Too few search rows are left for another page',
  person_rows: 'You have looked at as many rows as a person may within an hour',
}

/** A limit of the hour or of the plan: what is used up, and when it goes on. */
export function LimitState({ failure, onRetry, isRetrying }: LimitStateProps) {
  const { param = '', retryAfterMs } = failure
  const isOfPlan = param === 'search_rows' || param === 'store_exports'
  return (
    <EmptyState
      title={titles[param] ?? failure.message}
      actions={
        <>
          <Button onPress={onRetry} isPending={isRetrying}>
            Try again
          </Button>
          {isOfPlan && (
            <Link to="/billing" className={buttonClass()}>
              Compare plans
            </Link>
          )}
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
