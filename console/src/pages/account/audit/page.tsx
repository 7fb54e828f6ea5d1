import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { callQuery, pageQuery } from '#api/query.ts'
import { formatTime } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import { Select } from '#ui/fields/select.tsx'
import { PagedTable } from '../../search/paged-table.tsx'
import { type AuditEntry, describeAction, subjectLabels } from './labels.ts'
import { type AuditSearch, auditSubjects } from './search.ts'

export default function AuditPage() {
  const { id } = useAccount()
  const isAdmin = useIsAtLeast('admin')
  return (
    <>
      <PageHeader title="Audit log" description="Who changed what in this account, the newest first." />
      {isAdmin ? (
        <>
          <AuditFilters account={id} />
          <AuditTable account={id} />
        </>
      ) : (
        <EmptyState title="The audit log is for admins">Ask an admin or an owner of the account.</EmptyState>
      )}
    </>
  )
}

function AuditFilters({ account }: { account: string }) {
  const { person, subject } = useSearch({ from: '/app/account/audit' })
  const navigate = useNavigate()
  const { data: members } = useQuery(callQuery('listMembers', { account }))
  const filterBy = (changes: AuditSearch) =>
    void navigate({ to: '/account/audit', search: { person, subject, ...changes }, replace: true })
  const users = (members?.data ?? []).map(({ id, name, email }) => ({ id, label: name, description: email }))
  // A former member, from an address that was sent.
  if (person && members && !users.some(({ id }) => id === person))
    users.push({ id: person, label: 'A former member', description: person })
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <Select
        label="Who"
        isLabelHidden
        options={[{ id: 'all', label: 'Everybody' }, ...users]}
        value={person ?? 'all'}
        onChange={(id) => filterBy({ person: id === 'all' ? undefined : id })}
        className="w-48"
      />
      <Select
        label="About"
        isLabelHidden
        options={[
          { id: 'all' as const, label: 'Everything' },
          ...auditSubjects.map((id) => ({ id, label: subjectLabels[id] })),
        ]}
        value={subject ?? 'all'}
        onChange={(id) => filterBy({ subject: id === 'all' ? undefined : id })}
        className="w-44"
      />
    </div>
  )
}

function AuditTable({ account }: { account: string }) {
  const search = useSearch({ from: '/app/account/audit' })
  const navigate = useNavigate()
  const { person, subject, cursor } = search
  const query = useQuery({
    ...pageQuery('listAudit', { account, person, subject, cursor, limit: 50 }),
    // Another user may have done something since.
    staleTime: 0,
  })
  return (
    <PagedTable
      label="Audit log"
      query={query}
      to="/account/audit"
      place={search}
      columns={auditColumns}
      getId={({ id }) => id}
      noun={['entry', 'entries']}
      empty={
        person || subject ? (
          <EmptyState
            title="Nothing of this kind has happened"
            actions={<Button onPress={() => void navigate({ to: '/account/audit', search: {} })}>Show all</Button>}
          />
        ) : (
          <EmptyState title="Nothing has happened yet">Changes of members, keys and the plan appear here.</EmptyState>
        )
      }
    />
  )
}

const auditColumns: TableColumn<AuditEntry>[] = [
  {
    id: 'what',
    label: 'What',
    isRowHeader: true,
    className: 'min-w-64',
    render: (entry) => (
      <span className="wrap-anywhere">
        <span className="font-medium">{whoDid(entry)}</span> {describeAction(entry)}
      </span>
    ),
  },
  {
    id: 'when',
    label: 'When',
    className: 'w-52 whitespace-nowrap',
    render: ({ at }) => <time dateTime={at}>{formatTime(at)}</time>,
  },
  {
    id: 'from',
    label: 'From',
    className: 'w-40',
    render: (entry) => <span className="font-mono text-xs wrap-anywhere">{entry.address ?? placeOf(entry)}</span>,
  },
  {
    id: 'target',
    label: 'About',
    className: 'w-52',
    render: ({ target }) => <code className="text-muted text-xs wrap-anywhere">{target?.id}</code>,
  },
]

function placeOf({ by_operator, actor }: AuditEntry): string {
  if (actor === 'key') return 'API'
  return by_operator || actor === 'system' ? '–' : 'command line'
}

function whoDid({ person, by_operator, actor, key }: AuditEntry): string {
  if (by_operator) return 'An operator'
  if (key !== null) return `The key “${key.name ?? key.id}”`
  if (actor === 'visitor') return 'Somebody with a link'
  if (person === null) return actor === 'system' ? 'The service' : 'The command line'
  return person.name ?? 'Somebody who was removed'
}
