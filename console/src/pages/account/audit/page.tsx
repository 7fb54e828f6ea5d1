import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { failureProps } from '#api/failure.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { Table } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { useDelayed } from '#ui/feedback/use-delayed.ts'
import { Select } from '#ui/fields/select.tsx'
import { usePaging } from '../../search/use-paging.ts'
import { membersQuery } from '../members/members-api.ts'
import { auditQuery } from './audit-api.ts'
import { auditColumns } from './columns.tsx'
import { type AuditSearch, auditSubjects } from './search.ts'
import { subjectLabels } from './words.ts'

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
  const { data: members } = useQuery(membersQuery(account))
  const filterBy = (changes: AuditSearch) =>
    void navigate({ to: '/account/audit', search: { person, subject, ...changes }, replace: true })
  const people = (members?.data ?? []).map(({ id, name, email }) => ({ id, label: name, description: email }))
  // Somebody who is no member any more, from an address that was sent.
  if (person && members && !people.some(({ id }) => id === person))
    people.push({ id: person, label: 'A former member', description: person })
  return (
    <div className="mb-3 flex flex-wrap gap-2">
      <Select
        label="Who"
        isLabelHidden
        options={[{ id: 'all', label: 'Everybody' }, ...people]}
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
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(auditQuery(account, search))
  const { page, onPrevious, onNext } = usePaging('/account/audit', search, data?.next_cursor ?? null)
  const isOutdated = useDelayed(isPlaceholderData)
  const isLoading = useDelayed(!data)
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (!data) return isLoading && <SkeletonRows />
  if (data.data.length === 0)
    return search.person || search.subject ? (
      <EmptyState
        title="Nothing of this kind has happened"
        actions={<Button onPress={() => void navigate({ to: '/account/audit', search: {} })}>Show all</Button>}
      />
    ) : (
      <EmptyState title="Nothing has happened yet">Changes of members, keys and the plan appear here.</EmptyState>
    )
  return (
    <>
      <Table
        hasCards
        label="Audit log"
        columns={auditColumns}
        rows={data.data}
        getId={({ id }) => id}
        isOutdated={isOutdated}
      />
      <Pagination onPrevious={onPrevious} onNext={onNext} isPending={isPlaceholderData}>
        <span role="status">
          {formatCount(data.data.length, 'entry', 'entries')}
          {page > 1 && ` on page ${formatNumber(page)}`}
        </span>
      </Pagination>
    </>
  )
}
