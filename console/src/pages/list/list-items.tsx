import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useIsAtLeast } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { failureProps, messageOf } from '#api/failure.ts'
import { type ItemsToAdd as Items, type List, useReloadLists } from '#api/lists.ts'
import type { Row } from '#api/operations.ts'
import { pageQuery } from '#api/query.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { plainLinkClass } from '#ui/actions/link.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { nounsOf, viewerReason } from '../lists/labels.ts'

const nothing: ReadonlySet<string> = new Set()

/** The items of a list, newest first, with boxes to remove some. */
export function ListItems({ account, list }: { account: string; list: List }) {
  const { cursor } = useSearch({ from: '/app/lists/$list' })
  const navigate = useNavigate()
  const query = useQuery(pageQuery('listListItems', { account, id: list.id, limit: 50, cursor }))
  const [selected, setSelected] = useState(nothing)
  const { data, error, isPending, isFetching, isPlaceholderData, refetch } = query
  if (isPending) return <SkeletonRows />
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  const { next_cursor: next, data: rows } = data
  const goTo = (to: string | undefined) => {
    setSelected(nothing)
    void navigate({ to: '/lists/$list', params: { list: list.id }, search: { cursor: to } })
  }
  if (rows.length === 0 && !cursor)
    return (
      <div className="rounded-lg border border-line bg-surface">
        <EmptyState title="The list is empty">
          {list.kind === 'stores'
            ? 'Add domains here, or press Add to list on a store or a search.'
            : 'Select people in a search and press Add to list.'}
        </EmptyState>
      </div>
    )
  return (
    <>
      <RemoveSelected
        {...{ account, list }}
        items={rows.filter((row) => selected.has(keyOf(row)))}
        onDone={() => setSelected(nothing)}
      />
      <Table
        label="Items"
        columns={itemColumns}
        rows={rows}
        getId={keyOf}
        getLabel={labelOf}
        selection={{ selected, onChange: setSelected }}
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

interface RemoveSelectedProps {
  account: string
  list: List
  items: readonly ListItem[]
  onDone: () => void
}

/** Takes the selected items off the list; `Undo` puts them back. */
function RemoveSelected({ account, list, items, onDone }: RemoveSelectedProps) {
  const reload = useReloadLists()
  const isMember = useIsAtLeast('member')
  const undo = async (request: Items) => {
    try {
      await call('addListItems', { account, id: list.id, body: request })
    } catch (error) {
      showToast(messageOf(error))
    }
    await reload()
  }
  const remove = useMutation({
    mutationFn: (request: Items) => call('removeListItems', { account, id: list.id, body: request }),
    onError: (failure) => showToast(messageOf(failure)),
    onSuccess: ({ removed }, request) => {
      onDone()
      showToast(`${formatCount(removed, ...nounsOf(list.kind))} taken off “${list.name}”.`, {
        action: { label: 'Undo', onPress: () => void undo(request) },
        timeoutMs: 10_000,
      })
    },
    onSettled: reload,
  })
  return (
    <section aria-label="Selection" className="mb-2 flex min-h-8 flex-wrap items-center gap-3">
      <p role="status" className="empty:-mr-3">
        {items.length > 0 && `${formatNumber(items.length)} selected`}
      </p>
      <Button
        isDisabled={items.length === 0}
        isPending={remove.isPending}
        disabledReason={isMember ? undefined : viewerReason}
        onPress={() => remove.mutate(requestOf(items))}
      >
        Remove from list
      </Button>
    </section>
  )
}

function requestOf(items: readonly ListItem[]): Items {
  const contacts = items.flatMap((item) => ('contact_id' in item ? [item.contact_id] : []))
  if (contacts.length > 0) return { contact_ids: contacts }
  return { domains: items.map(({ domain }) => domain) }
}

type ListItem = Row<'listListItems'>

/** The id of an item, for its box and for removing it. */
const keyOf = (item: ListItem): string => ('contact_id' in item ? item.contact_id : (item.store_id ?? item.domain))

function labelOf(item: ListItem): string {
  if (!('contact_id' in item)) return item.name ?? item.domain
  return [item.first_name, item.last_name_obfuscated].filter(Boolean).join(' ') || 'No name'
}

const itemColumns: TableColumn<ListItem>[] = [
  {
    id: 'name',
    label: 'Name',
    className: 'min-w-40',
    render: (item) => <bdi className="wrap-anywhere">{labelOf(item)}</bdi>,
  },
  {
    id: 'domain',
    opensRow: true,
    label: 'Domain',
    render: (item) =>
      'pending' in item && item.pending ? (
        <span className="flex flex-wrap items-center gap-2">
          {item.domain}
          <Badge>Waiting</Badge>
        </span>
      ) : (
        <Link to="/stores/$domain" params={{ domain: item.domain }} className={plainLinkClass}>
          {item.domain}
        </Link>
      ),
  },
  { id: 'added', label: 'Added', render: ({ added_at }) => <RelativeTime time={added_at} /> },
]
