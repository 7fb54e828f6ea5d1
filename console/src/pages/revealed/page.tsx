import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { FileDown } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { pageQuery } from '#api/query.ts'
import { useSession } from '#api/session.ts'
import { toHost } from '#lib/filters/domains.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import { SearchField } from '#ui/fields/search-field.tsx'
import { PagedTable } from '../search/paged-table.tsx'
import { revealedColumns } from './columns.tsx'

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

interface StoreFilterProps {
  store: string | undefined
  onChange: (store: string | undefined) => void
}

/** Only the people of one store, by its domain. */
function StoreFilter({ store = '', onChange }: StoreFilterProps) {
  const [text, setText] = useState(store)
  const submit = () => onChange(toHost(text) ?? (text.trim() || undefined))
  return (
    <SearchField
      placeholder="Store domain"
      value={text}
      onChange={setText}
      onSubmit={submit}
      onClear={() => onChange(undefined)}
      className="w-full sm:w-72"
    />
  )
}

const ExportRevealedDialog = lazy(() => import('./export-revealed-dialog.tsx'))

interface ExportRevealedProps {
  account: string
  /** The domain of a store: only its people. */
  store: string | undefined
}

/** The revealed people as a file, as often as wanted: they are paid for. */
function ExportRevealed({ account, store }: ExportRevealedProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setIsOpen(true)} aria-haspopup="dialog">
        <FileDown aria-hidden />
        Export
      </Button>
      {isOpen && (
        <Suspense>
          <ExportRevealedDialog account={account} store={store} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
