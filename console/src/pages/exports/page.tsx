import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAccount } from '#api/account.tsx'
import { failureProps } from '#api/failure.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { Table } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { useDelayed } from '#ui/feedback/use-delayed.ts'
import { usePaging } from '../search/use-paging.ts'
import { usageQuery } from '../usage/queries.ts'
import { exportColumns } from './columns.tsx'
import { exportsQuery } from './export-queries.ts'
import { keptText } from './words.ts'

/** The files that the account has made, and those that are being made. */
export default function ExportsPage() {
  const { id: account } = useAccount()
  const { data: usage } = useQuery(usageQuery(account, 'live'))
  return (
    <>
      <PageHeader
        title="Exports"
        description={
          <>
            <p>One runs at a time, and goes on when this page is closed. Files are kept for three days.</p>
            <p>{usage && keptText(usage.kept_exports)}</p>
          </>
        }
      />
      <ExportTable />
    </>
  )
}

function ExportTable() {
  const { id: account } = useAccount()
  const search = useSearch({ from: '/app/exports' })
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(exportsQuery(account, search.cursor))
  const { page, onPrevious, onNext } = usePaging('/exports', search, data?.next_cursor ?? null)
  const columns = useMemo(() => exportColumns(account), [account])
  const isOutdated = useDelayed(isPlaceholderData)
  const isLoading = useDelayed(!data)
  if (error && !data)
    return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (!data) return isLoading && <SkeletonRows />
  if (data.data.length === 0)
    return (
      <EmptyState title="Nothing was exported yet">
        Filter <Link href="/stores">Stores</Link> or <Link href="/people">People</Link> and press Export.
      </EmptyState>
    )
  return (
    <>
      <Table
        label="Exports"
        columns={columns}
        rows={data.data}
        getId={({ id }) => id}
        isOutdated={isOutdated}
        hasCards
      />
      <Pagination onPrevious={onPrevious} onNext={onNext} isPending={isPlaceholderData}>
        <span role="status">
          {formatCount(data.data.length, 'export')}
          {page > 1 && ` on page ${formatNumber(page)}`}
        </span>
      </Pagination>
    </>
  )
}
