import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { pageQuery } from '#api/query.ts'
import { useSession } from '#api/session.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { PagedTable } from '../search/paged-table.tsx'
import { revealedColumns } from './columns.tsx'
import { ExportRevealed } from './export-revealed.tsx'
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

const keptForMs = 60_000

function RevealedTable({ onShowAll }: { onShowAll: () => void }) {
  const { id: account, access } = useAccount()
  const search = useSearch({ from: '/app/revealed' })
  const columns = useMemo(() => revealedColumns(access), [access])
  const query = useQuery({
    ...pageQuery('listRevealed', { account, search: search.store, cursor: search.cursor, limit: 25 }),
    // The channels are not kept when the page is left.
    gcTime: keptForMs,
  })
  return (
    <PagedTable
      label="Revealed people"
      query={query}
      to="/revealed"
      place={search}
      columns={columns}
      getId={({ id }) => id}
      noun={['person', 'people']}
      empty={
        search.store ? (
          <EmptyState
            title={`Nobody of ${search.store} is revealed`}
            actions={<Button onPress={onShowAll}>Show all</Button>}
          />
        ) : (
          <EmptyState title="Nobody is revealed yet">
            Select people on the page <Link href="/people">People</Link> and press Reveal.
          </EmptyState>
        )
      }
    />
  )
}
