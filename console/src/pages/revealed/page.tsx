import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { failureProps } from '#api/failure.ts'
import { useSession } from '#api/session.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { Table } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { useDelayed } from '#ui/feedback/use-delayed.ts'
import { usePaging } from '../search/use-paging.ts'
import { revealedColumns } from './columns.tsx'
import { ExportRevealed } from './export-revealed.tsx'
import { revealedQuery } from './revealed-list.ts'
import { StoreFilter } from './store-filter.tsx'

/** Everybody whom the account has revealed. Free of charge, and open without a plan. */
export default function RevealedPage() {
  const { id: account } = useAccount()
  const { store } = useSearch({ from: '/app/revealed' })
  const navigate = useNavigate()
  const maySee = useIsAtLeast('member')
  const isSeeAs = useSession().see_as !== null
  const filterBy = (next: string | undefined) => void navigate({ to: '/revealed', search: { store: next } })
  return (
    <>
      <PageHeader
        title="Revealed"
        description="Looking at them and exporting them costs nothing."
        actions={
          maySee && (
            <>
              <StoreFilter key={store} store={store} onChange={filterBy} />
              <ExportRevealed account={account} store={store} />
            </>
          )
        }
      />
      {maySee ? (
        <RevealedTable onShowAll={() => filterBy(undefined)} />
      ) : (
        <EmptyState title="Viewers do not see channels">
          {isSeeAs
            ? 'An operator who looks at an account sees what its viewers see.'
            : 'You are a viewer of this account. An admin can make you a member, under Account.'}
        </EmptyState>
      )}
    </>
  )
}

function RevealedTable({ onShowAll }: { onShowAll: () => void }) {
  const { id: account, access } = useAccount()
  const search = useSearch({ from: '/app/revealed' })
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(revealedQuery(account, search))
  const { page, onPrevious, onNext } = usePaging('/revealed', search, data?.next_cursor ?? null)
  const columns = useMemo(() => revealedColumns(access), [access])
  const isOutdated = useDelayed(isPlaceholderData)
  const isLoading = useDelayed(!data)
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (!data) return isLoading && <SkeletonRows />
  // Where very many in a row were erased, a page without anybody has a next one.
  if (data.data.length === 0 && !search.cursor && !data.has_more)
    return search.store ? (
      <EmptyState
        title={`Nobody of ${search.store} is revealed`}
        actions={<Button onPress={onShowAll}>Show all</Button>}
      />
    ) : (
      <EmptyState title="Nobody is revealed yet">
        Select people on the page <Link href="/people">People</Link> and press Reveal.
      </EmptyState>
    )
  return (
    <>
      <Table
        label="Revealed people"
        columns={columns}
        rows={data.data}
        getId={({ id }) => id}
        isOutdated={isOutdated}
        hasCards
      />
      <Pagination onPrevious={onPrevious} onNext={onNext} isPending={isPlaceholderData}>
        <span role="status">
          {formatCount(data.data.length, 'person', 'people')}
          {page > 1 && ` on page ${formatNumber(page)}`}
        </span>
      </Pagination>
    </>
  )
}
