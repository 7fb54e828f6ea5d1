import type { UseQueryResult } from '@tanstack/react-query'
import { failureProps } from '#api/failure.ts'
import { pageQuery } from '#api/query.ts'
import { Link } from '#ui/actions/link.tsx'
import { classNames } from '#ui/class-names.ts'
import { Skeleton } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import type { ExportKind, ExportQuote, ExportRequest } from '../exports/api.ts'
import { exportCostInWords, leftInWords, missingOf } from './labels.ts'

const freshForMs = 60_000

/** The cost of this export now. A quote is free. */
export function exportQuoteQuery(account: string, request: ExportRequest) {
  return {
    ...pageQuery('createQuote', { account, body: { for: 'export', ...request } }),
    staleTime: freshForMs,
    retry: false,
  }
}

interface QuoteSectionProps {
  kind: ExportKind
  quote: UseQueryResult<ExportQuote>
  /** The quote is for what was asked before. */
  isOld: boolean
}

/** The cost in words, before anything is spent. */
export function QuoteSection({ kind, quote: { data, error, refetch, isFetching }, isOld }: QuoteSectionProps) {
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  const missing = data && missingOf(data)
  const isNothing = data && data.stores === 0 && data.contacts === 0
  return (
    <section aria-label="Cost" aria-live="polite" aria-busy={isOld} className="min-h-16 rounded-md bg-sunken px-3 py-2">
      {!data ? (
        <>
          <span className="sr-only">Asking for the cost</span>
          <Skeleton className="w-56" />
        </>
      ) : isNothing ? (
        <p>Nothing matches: the file would be empty.</p>
      ) : (
        <div className={classNames(isOld && 'opacity-85')}>
          <p className="font-medium">{exportCostInWords(kind, data).join(', ')}</p>
          {missing ? (
            <p>
              <span className="text-danger-text">{missing}</span>: the file ends where they are used up.{' '}
              <Link href="/billing">Go to Billing</Link>
            </p>
          ) : (
            <p>{leftInWords(kind, data)}</p>
          )}
        </div>
      )}
    </section>
  )
}
