import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { RequestBody, Row } from '#api/operations.ts'
import { pageQuery } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import { SearchField } from '#ui/fields/search-field.tsx'
import { Select } from '#ui/fields/select.tsx'
import { PagedTable } from '../../search/paged-table.tsx'
import { planNames, planOptions, stateOf, wordsOf } from '../labels.ts'
import { NewAccountDialog } from './new-account-dialog.tsx'
import { accountStates, type OperatorAccountsSearch } from './search.ts'

/** All accounts of the installation. */
export default function OperatorAccountsPage() {
  const { cursor, page: _page, ...filters } = useSearch({ from: '/app/operator/accounts' })
  const navigate = useNavigate()
  const [isCreating, setIsCreating] = useState(false)
  const [address, setAddress] = useState('')
  const search = address || filters.search
  const question = { ...filters, ...(search && { search }), ...(cursor && { cursor }) }
  const filterBy = (changes: Partial<OperatorAccountsSearch>) =>
    void navigate({ to: '/operator/accounts', search: { ...filters, ...changes }, replace: true })
  const searchFor = (text: string) => {
    // An address of a person stays out of the address of the page.
    const isAddress = text.includes('@')
    setAddress(isAddress ? text : '')
    filterBy({ search: isAddress ? undefined : text || undefined })
  }
  const clear = () => {
    setAddress('')
    void navigate({ to: '/operator/accounts', search: {} })
  }
  return (
    <>
      <PageHeader
        title="Accounts"
        actions={
          <Button variant="primary" onPress={() => setIsCreating(true)}>
            New account
          </Button>
        }
      />
      <div className="mb-3 flex flex-wrap gap-2">
        <AccountSearch text={search ?? ''} onSearch={searchFor} />
        <Select
          label="Plan"
          isLabelHidden
          options={[{ id: 'all', label: 'All plans' }, ...planOptions]}
          value={filters.plan ?? 'all'}
          onChange={(plan) => filterBy({ plan: plan === 'all' ? undefined : plan })}
          className="w-36"
        />
        <Select
          label="Status"
          isLabelHidden
          options={[
            { id: 'all', label: 'All statuses' },
            ...accountStates.map((id) => ({ id, label: id === 'none' ? 'No plan' : wordsOf(id) })),
          ]}
          value={filters.status ?? 'all'}
          onChange={(status) => filterBy({ status: status === 'all' ? undefined : status })}
          className="w-44"
        />
      </div>
      <AccountTable question={question} onClear={clear} />
      <NewAccountDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </>
  )
}

const typingMs = 250

function AccountSearch({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const [known, setKnown] = useState(text)
  if (known !== text) {
    // Changed elsewhere, such as by Back.
    setKnown(text)
    setTyped(text)
  }
  useEffect(() => {
    if (typed.trim() === text) return
    const timer = setTimeout(() => {
      setKnown(typed.trim())
      onSearch(typed.trim())
    }, typingMs)
    return () => clearTimeout(timer)
  }, [typed, text, onSearch])
  return (
    <SearchField
      placeholder="Name, email or id"
      value={typed}
      onChange={setTyped}
      className="w-full sm:w-72"
      maxLength={200}
    />
  )
}

function AccountTable({ question, onClear }: { question: RequestBody<'listAccounts'>; onClear: () => void }) {
  const place = useSearch({ from: '/app/operator/accounts' })
  // By POST: what is searched may be a part of an address.
  const query = useQuery(pageQuery('listAccounts', { body: question }))
  return (
    <PagedTable
      label="Accounts"
      query={query}
      to="/operator/accounts"
      place={place}
      columns={accountColumns}
      getId={({ id }) => id}
      noun={['account']}
      empty={
        question.search || question.plan || question.status ? (
          <EmptyState title="No account is like that" actions={<Button onPress={onClear}>Show all</Button>} />
        ) : (
          <EmptyState title="There is no account yet">Create the first one with New account.</EmptyState>
        )
      }
    />
  )
}

const accountColumns: TableColumn<Row<'listAccounts'>>[] = [
  {
    id: 'name',
    opensRow: true,
    label: 'Account',
    render: ({ id, name, email }) => (
      <div className="min-w-44">
        <Link href={`/operator/accounts/${id}`} isPlain className="font-medium">
          <bdi>{name}</bdi>
        </Link>
        <div className="text-muted text-xs wrap-anywhere">
          <bdi>{email ?? 'no email'}</bdi>
        </div>
      </div>
    ),
  },
  { id: 'plan', label: 'Plan', render: ({ plan }) => planNames[plan] },
  {
    id: 'status',
    label: 'Status',
    render: (account) => {
      const { label, tone } = stateOf(account)
      return <Badge tone={tone}>{label}</Badge>
    },
  },
  { id: 'members', label: 'Members', align: 'end', render: ({ members }) => <Num value={members} /> },
  { id: 'keys', label: 'Keys', align: 'end', render: ({ keys }) => <Num value={keys} /> },
  { id: 'created', label: 'Created', render: ({ created_at }) => <RelativeTime time={created_at} /> },
]
