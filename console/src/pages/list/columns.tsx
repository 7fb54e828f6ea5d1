import { Link } from '@tanstack/react-router'
import type { Row } from '#api/operations.ts'
import { plainLinkClass } from '#ui/actions/link.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import type { TableColumn } from '#ui/data/table.tsx'

export type ListItem = Row<'listListItems'>

/** What names an item, for its box and for removing it. */
export const keyOf = (item: ListItem): string =>
  'contact_id' in item ? item.contact_id : (item.store_id ?? item.domain)

export function labelOf(item: ListItem): string {
  if (!('contact_id' in item)) return item.name ?? item.domain
  return [item.first_name, item.last_name_obfuscated].filter(Boolean).join(' ') || 'No name'
}

export const itemColumns: TableColumn<ListItem>[] = [
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
