import { useQuery } from '@tanstack/react-query'
import type { Count } from '#api/catalogue.ts'
import { messageOf } from '#api/failure.ts'
import { pageQuery } from '#api/query.ts'
import type { ContactQuestion } from '#lib/filters/request.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { useDebounced } from '#lib/use-value.ts'
import { Link } from '#ui/actions/link.tsx'
import { classNames } from '#ui/class-names.ts'
import { quoteQuery } from './api.ts'
import { type CostQuote, costInWords, shortageOf } from './labels.ts'

const quoteAfterMs = 200

interface SelectedQuoteProps {
  account: string
  selected: ReadonlySet<string>
}

/** The cost of revealing the selected contacts. */
export function SelectedQuote({ account, selected }: SelectedQuoteProps) {
  const ids = useDebounced(selected, quoteAfterMs)
  const { data, error, isPlaceholderData } = useQuery({
    ...quoteQuery(account, [...ids]),
    enabled: ids.size > 0,
  })
  if (error) return <p className="text-danger-text">{messageOf(error)}</p>
  return data && <QuoteInWords quote={data} isOld={isPlaceholderData || ids !== selected} />
}

/** The most that one export holds. */
const mostRows = 1_000_000
const freshForMs = 10_000

interface MatchingQuoteProps {
  account: string
  question: ContactQuestion
  count: Count<'countContacts'> | undefined
}

/** The cost of revealing all that match: by the count at first, exactly when the quote is there. */
export function MatchingQuote({ account, question, count }: MatchingQuoteProps) {
  const { data, error, isPlaceholderData } = useQuery({
    ...pageQuery('createQuote', {
      account,
      body: {
        for: 'export',
        kind: 'contacts',
        ...question,
        format: 'csv',
        max_rows: mostRows,
        max_credits: mostRows,
      },
    }),
    staleTime: freshForMs,
  })
  if (data) return <QuoteInWords quote={data} isOld={isPlaceholderData} />
  if (!count) return error && <p className="text-danger-text">{messageOf(error)}</p>
  return (
    <p aria-busy={!error} className="min-w-0">
      {formatNumber(count.unrevealed)} new = {formatCount(count.unrevealed, 'credit')}
    </p>
  )
}

function QuoteInWords({ quote, isOld }: { quote: CostQuote; isOld: boolean }) {
  const shortage = shortageOf(quote)
  return (
    <p aria-live="polite" aria-busy={isOld} className={classNames('min-w-0', isOld && 'opacity-85')}>
      {costInWords(quote).join(', ')},{' '}
      {shortage ? (
        <>
          <span className="text-danger-text">{shortage}</span>. <Link href="/billing">Go to Billing</Link>
        </>
      ) : (
        `${formatNumber(quote.credits_after)} left afterwards`
      )}
    </p>
  )
}
