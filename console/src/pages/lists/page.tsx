import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useAccount, useIsAtLeast } from '#api/account.tsx'
import { failureProps } from '#api/failure.ts'
import { type List, useReloadLists } from '#api/lists.ts'
import { pageQuery } from '#api/query.ts'
import { Button } from '#ui/actions/button.tsx'
import { plainLinkClass } from '#ui/actions/link.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { Num, RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { Dialog } from '#ui/overlays/dialog.tsx'
import { ClosedState } from '../search/closed-state.tsx'
import { viewerReason } from './labels.ts'
import { ListForm } from './list-form.tsx'

const columns: TableColumn<List>[] = [
  {
    id: 'name',
    opensRow: true,
    label: 'Name',
    className: 'min-w-44',
    render: ({ id, name, description }) => (
      <>
        <Link to="/lists/$list" params={{ list: id }} className={`${plainLinkClass} font-medium wrap-anywhere`}>
          <bdi>{name}</bdi>
        </Link>
        {description && <span className="line-clamp-2 text-muted text-xs wrap-anywhere">{description}</span>}
      </>
    ),
  },
  { id: 'kind', label: 'Of', render: ({ kind }) => (kind === 'stores' ? 'Stores' : 'People') },
  { id: 'items', label: 'Items', align: 'end', render: ({ items }) => <Num value={items} /> },
  {
    id: 'pending',
    label: 'Waiting',
    align: 'end',
    render: ({ pending }) => (pending > 0 ? <Num value={pending} /> : null),
  },
  { id: 'updated', label: 'Changed', render: ({ updated_at }) => <RelativeTime time={updated_at} /> },
]

export default function ListsPage() {
  const { access } = useAccount()
  const isMember = useIsAtLeast('member')
  const [isCreating, setIsCreating] = useState(false)
  const create = (
    <Button
      variant="primary"
      disabledReason={isMember ? undefined : viewerReason}
      onPress={() => setIsCreating(true)}
      aria-haspopup="dialog"
    >
      <Plus aria-hidden />
      New list
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Lists"
        description="Stores and people to come back to, to leave out of searches, or to export. Lists cost nothing."
        actions={access && create}
      />
      {access ? <AllLists /> : <ClosedState what="Lists" />}
      <NewListDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </>
  )
}

function AllLists() {
  const { id: account } = useAccount()
  const { cursor } = useSearch({ from: '/app/lists' })
  const navigate = useNavigate()
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = useQuery(
    pageQuery('listLists', { account, limit: 50, cursor }),
  )
  if (isPending) return <SkeletonRows rows={4} />
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  const { next_cursor: next } = data
  const goTo = (to: string | undefined) => void navigate({ to: '/lists', search: { cursor: to } })
  if (data.data.length === 0 && !cursor)
    return (
      <div className="rounded-lg border border-line bg-surface">
        <EmptyState title="There are no lists yet">
          Create one here, or select stores or people in a search and press Add to list.
        </EmptyState>
      </div>
    )
  return (
    <>
      <Table
        label="Lists"
        columns={columns}
        rows={data.data}
        getId={({ id }) => id}
        isOutdated={isPlaceholderData}
        hasCards
      />
      {(next || cursor) && (
        <Pagination
          onPrevious={cursor ? () => goTo(undefined) : undefined}
          onNext={next ? () => goTo(next) : undefined}
          isPending={isPlaceholderData}
        />
      )}
    </>
  )
}

function NewListDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { id: account } = useAccount()
  const navigate = useNavigate()
  const reload = useReloadLists()
  const finish = (list: List) => {
    onClose()
    void reload()
    void navigate({ to: '/lists/$list', params: { list: list.id } })
  }
  return (
    <Dialog title="New list" isOpen={isOpen} onClose={onClose}>
      <ListForm account={account} onDone={finish} onCancel={onClose} />
    </Dialog>
  )
}
