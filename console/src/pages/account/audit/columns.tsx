import { formatTime } from '#lib/format.ts'
import type { TableColumn } from '#ui/data/table.tsx'
import { type AuditEntry, describeAction } from './labels.ts'

export const auditColumns: TableColumn<AuditEntry>[] = [
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
