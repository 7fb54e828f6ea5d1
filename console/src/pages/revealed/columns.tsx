import { Link } from '@tanstack/react-router'
import type { RevealedContact } from '#api/catalogue.ts'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import { Channels } from '../reveal/channels.tsx'

/** `canOpenStores`: an account without access cannot look at a store's page. */
export function revealedColumns(canOpenStores: boolean): TableColumn<RevealedContact>[] {
  return [
    {
      id: 'person',
      label: 'Person',
      className: 'min-w-40 max-w-64',
      render: ({ full_name, title }) => (
        <>
          <span className="block font-medium wrap-anywhere" dir="auto">
            {full_name ?? 'Without a name'}
          </span>
          <span className="block text-muted text-xs wrap-anywhere" dir="auto">
            {title}
          </span>
        </>
      ),
    },
    {
      id: 'channels',
      label: 'Channels',
      className: 'min-w-64 max-w-96',
      render: (contact) => <Channels contact={contact} />,
    },
    {
      id: 'store',
      opensRow: true,
      label: 'Store',
      className: 'min-w-40 max-w-64',
      render: ({ store: { name, domain } }) => (
        <>
          {canOpenStores ? (
            <Link
              to="/stores/$domain"
              params={{ domain }}
              className="line-clamp-2 rounded-sm wrap-anywhere hover:underline"
            >
              <bdi>{name}</bdi>
            </Link>
          ) : (
            <bdi className="line-clamp-2 wrap-anywhere">{name}</bdi>
          )}
          <span className="block truncate text-muted text-xs">{domain}</span>
        </>
      ),
    },
    {
      id: 'by',
      label: 'Revealed by',
      className: 'max-w-48',
      render: ({ revealed_by }) =>
        revealed_by && (
          <span className="wrap-anywhere">
            {revealed_by.kind === 'key' && 'Key '}
            <bdi>{revealed_by.name}</bdi>
          </span>
        ),
    },
    {
      id: 'at',
      label: 'Revealed',
      render: ({ revealed_at }) => <RelativeTime time={revealed_at} />,
    },
  ]
}
