import { formatCount, formatNumber } from '#lib/format.ts'
import { Pagination } from '#ui/data/pagination.tsx'

interface ResultFootProps {
  /** Rows on this page. */
  count: number
  /** What they cost: nothing if the same page showed them within ten minutes. */
  rowsCharged: number
  /** `store`, and `people` where the plural is irregular. */
  noun: string
  nouns?: string
  rowsLeft: number | undefined
  /** Why there is no next page although more matches. */
  searchEnd: string | undefined
  page: number
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  isPending: boolean
}

/** What the page cost and what is left, and the way to the pages beside it. */
export function ResultFoot(props: ResultFootProps) {
  const { count, noun, nouns = `${noun}s`, rowsCharged, rowsLeft, searchEnd, page, ...paging } = props
  return (
    <Pagination {...paging}>
      <span role="status">
        {formatCount(count, noun, nouns)}
        {page > 1 && <> on page {formatNumber(page)}</>}
      </span>
      <span className="max-sm:block">
        <span className="max-sm:hidden"> · </span>
        {formatCount(rowsCharged, 'search row')} used
        {rowsLeft !== undefined && <> · {formatNumber(rowsLeft)} left</>}
      </span>
      {searchEnd !== undefined && <span className="block">{searchEnd}</span>}
    </Pagination>
  )
}
