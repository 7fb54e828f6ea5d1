import { useQuery } from '@tanstack/react-query'
import { failureProps } from '#api/failure.ts'
import { formatNumber, formatPeople } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { Skeleton } from '#ui/feedback/skeleton.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { DialogActions } from '#ui/overlays/dialog.tsx'
import { quoteQuery } from './api.ts'
import { costInWords, shortageOf } from './labels.ts'

interface RevealQuestionProps {
  account: string
  ids: readonly string[]
  onReveal: () => void
  onCancel: () => void
}

/** States the cost before anything is spent. */
export function RevealQuestion({ account, ids, onReveal, onCancel }: RevealQuestionProps) {
  const {
    data: quote,
    error,
    refetch,
    isFetching,
  } = useQuery({ ...quoteQuery(account, ids), placeholderData: undefined })
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  const shortage = quote && shortageOf(quote)
  const isNobody = quote?.contacts === 0
  return (
    <>
      {quote ? (
        <div className="flex flex-col gap-3">
          <p className="flex flex-wrap gap-x-6 gap-y-1 font-medium">
            {costInWords(quote).map((words) => (
              <span key={words}>{words}</span>
            ))}
          </p>
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
            <dt className="text-muted">Credits</dt>
            <dd>
              {formatNumber(quote.credits_remaining)} now
              {!shortage && <> → {formatNumber(quote.credits_after)} afterwards</>}
            </dd>
            <dt className="text-muted">Store exports</dt>
            <dd>
              {formatNumber(quote.new_exports)} used
              {!shortage && <>, {formatNumber(quote.exports_after)} left afterwards</>}
            </dd>
          </dl>
          {shortage && (
            <p className="text-danger-text">
              {shortage}. Select fewer people, or <Link href="/billing">go to Billing</Link>.
            </p>
          )}
          {isNobody && <p className="text-danger-text">Nobody of them can be revealed: no channel is on file.</p>}
        </div>
      ) : (
        <div role="status" className="flex flex-col gap-3">
          <span className="sr-only">Asking for the cost</span>
          <Skeleton className="w-56" />
          <Skeleton className="w-40" />
          <Skeleton className="w-48" />
        </div>
      )}
      <DialogActions>
        <Button onPress={onCancel}>Cancel</Button>
        <Button
          variant="primary"
          onPress={onReveal}
          isDisabled={!quote || isNobody}
          disabledReason={shortage && `${formatPeople(ids.length)}: ${shortage}`}
          autoFocus
        >
          Reveal {formatPeople(ids.length)}
        </Button>
      </DialogActions>
    </>
  )
}
