import { Link } from '@tanstack/react-router'
import { ApiFailure, failureProps } from '#api/failure.ts'
import type { Chip } from '#lib/filters/chips.ts'
import type { Filters } from '#lib/filters/url.ts'
import { Button, buttonClass } from '#ui/actions/button.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { ChipList } from './chip-list.tsx'
import { ClosedState } from './closed-state.tsx'

interface ResultProblemProps {
  /** The noun of the rows, in the plural: `Stores`. */
  what: string
  error: unknown
  chips: readonly Chip[]
  onChange: (filters: Filters) => void
  onFirstPage: () => void
  onRetry: () => void
  isRetrying: boolean
}

/** In place of rows: why there are none, and what to do about it. */
export function ResultProblem({ what, error, chips, onChange, onFirstPage, onRetry, isRetrying }: ResultProblemProps) {
  const failure = error instanceof ApiFailure ? error : undefined
  switch (failure?.code) {
    case 'api_access_required':
      return <ClosedState what={what} reason={failure.message} />
    case 'insufficient_role':
      // A viewer may search: this is an operator who sees as the account.
      return <EmptyState title={failure.message}>A page of results takes search rows of the account.</EmptyState>
    case 'invalid_cursor':
      return (
        <EmptyState
          title="This page of the result is not there any more"
          actions={<Button onPress={onFirstPage}>Go to the first page</Button>}
        >
          A place in a result is kept for 24 hours, for the account that searched.
        </EmptyState>
      )
    case 'search_too_broad':
      return (
        <EmptyState title={failure.message} actions={<Button onPress={onFirstPage}>Go to the first page</Button>} />
      )
    case 'rate_limit_exceeded':
      return <LimitState failure={failure} onRetry={onRetry} isRetrying={isRetrying} />
    case 'invalid_filter_value':
    case 'conflicting_filters':
    case 'invalid_domain':
      return (
        <EmptyState title={failure.message} actions={<ChipList chips={chips} onChange={onChange} isCentered />}>
          Remove the filter:
        </EmptyState>
      )
    default:
      return <ErrorState {...failureProps(error)} onRetry={onRetry} isRetrying={isRetrying} />
  }
}

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const dayMs = 86_400_000

interface LimitStateProps {
  failure: ApiFailure
  onRetry: () => void
  isRetrying: boolean
}

/** The limit that is used up, by the parameter that the server names. Its own sentence is for programs. */
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
