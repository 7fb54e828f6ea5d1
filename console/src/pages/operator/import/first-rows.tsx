import { useMemo } from 'react'
import { formatNumber } from '#lib/format.ts'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import type { ImportPreview } from '../api.ts'
import { hintInWords } from './sentences.ts'

type PreviewRow = ImportPreview['rows'][number]
type Fault = PreviewRow['faults'][number]

/** The first rows as they are read, with their faults. */
export function FirstRows({ preview, isOutdated }: { preview: ImportPreview; isOutdated: boolean }) {
  const columns = useMemo(() => rowColumns(preview), [preview])
  if (preview.rows.length === 0) return <EmptyState title="There are no rows below the heading" />
  return (
    <Table
      label="First rows"
      columns={columns}
      rows={preview.rows}
      getId={({ line }) => String(line)}
      isOutdated={isOutdated}
      className="max-h-[60dvh]"
    />
  )
}

const recordColumn: TableColumn<PreviewRow> = {
  id: 'record',
  label: 'Record',
  render: ({ record }) => (
    <bdi className="block max-h-24 min-w-64 overflow-hidden font-mono text-xs wrap-anywhere">{record}</bdi>
  ),
}

function rowColumns({ columns }: ImportPreview): TableColumn<PreviewRow>[] {
  return [
    { id: 'line', label: 'Line', align: 'end', render: ({ line }) => formatNumber(line) },
    {
      id: 'faults',
      label: 'Faults',
      render: ({ faults }) =>
        faults.length === 0 ? (
          <span className="text-muted">none</span>
        ) : (
          <ul className="min-w-52">
            {faults.map((fault) => (
              <li key={`${fault.field} ${fault.reason}`} className="text-danger-text wrap-anywhere">
                {sentenceOf(fault)}
              </li>
            ))}
          </ul>
        ),
    },
    ...(columns.length === 0 ? [recordColumn] : []),
    ...columns.map(
      ({ header, reference, field, how }, index): TableColumn<PreviewRow> => ({
        id: `cell ${index}`,
        label: header || `Column ${reference.slice(1)}`,
        render: ({ cells, faults }) => {
          const isFaulty = field !== null && faults.some((fault) => isAbout(fault, field))
          return (
            <bdi
              className={`block max-w-60 truncate ${isFaulty ? 'text-danger-text' : how === 'ignored' ? 'text-muted line-through' : ''}`}
            >
              {cells[index] ?? ''}
            </bdi>
          )
        },
      }),
    ),
  ]
}

/** Faults name fields so: `emails.0.email`, also behind `contact.`, is `emails.email`. */
function isAbout(fault: Fault, field: string): boolean {
  return fault.field === field.replace(/\.\d+/g, '').replace(/^contact\./, '')
}

function sentenceOf({ field, reason, hint }: Fault): string {
  return `${field ? `${field}: ` : ''}${reason}${hint ? ` (${hintInWords(hint)})` : ''}`
}
