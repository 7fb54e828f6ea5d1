import { formatTime } from '#lib/format.ts'
import type { TableColumn } from '#ui/data/table.tsx'
import { type AuditEntry, describeAction } from './words.ts'

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
    render: ({ address, by_operator }) => (
      <span className="font-mono text-xs wrap-anywhere">{address ?? (by_operator ? '–' : 'command line')}</span>
    ),
  },
  {
    id: 'target',
    label: 'About',
    className: 'w-52',
    render: ({ target }) => <code className="text-muted text-xs wrap-anywhere">{target?.id}</code>,
  },
]

function whoDid({ person, by_operator }: AuditEntry): string {
  if (by_operator) return 'An operator'
  if (person === null) return 'The command line'
  return person.name ?? 'Somebody who was removed'
}
