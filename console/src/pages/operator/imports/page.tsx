import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { formatBytes, formatCount, formatNumber } from '#lib/format.ts'
import { Link } from '#ui/actions/link.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/states.tsx'
import { PagedTable } from '../../search/paged-table.tsx'
import { type ImportRow, importsQuery, isRunning } from '../api.ts'
import { none } from '../facts.tsx'
import { importKindNames, stateWords } from './labels.ts'
import { NewImport } from './new-import.tsx'

/** Files that operators bring in, and what became of the earlier ones. */
export default function ImportsPage() {
  const { cursor } = useSearch({ from: '/app/operator/imports' })
  return (
    <>
      <PageHeader title="Imports" description="Stores and people from files, as the command import takes them." />
      {!cursor && <NewImport />}
      <ImportTable />
    </>
  )
}

function ImportTable() {
  const search = useSearch({ from: '/app/operator/imports' })
  const query = useQuery(importsQuery(search.cursor))
  return (
    <PagedTable
      label="Imports"
      query={query}
      to="/operator/imports"
      place={search}
      columns={columns}
      getId={({ id }) => String(id)}
      noun={['import']}
      skeletonRows={4}
      empty={
        <EmptyState title="Nothing was imported here yet">
          Imports of the command line are not listed; their batches are under{' '}
          <Link href="/operator/catalogue">Catalogue</Link>.
        </EmptyState>
      }
    />
  )
}

const columns: TableColumn<ImportRow>[] = [
  {
    id: 'file',
    opensRow: true,
    label: 'File',
    render: ({ id, file_name, kind, bytes }) => (
      <div className="min-w-44">
        <Link href={`/operator/imports/${id}`} isPlain className="font-medium wrap-anywhere">
          <bdi>{file_name}</bdi>
        </Link>
        <div className="text-muted text-xs">
          {importKindNames[kind]}, {formatBytes(bytes)}
        </div>
      </div>
    ),
  },
  {
    id: 'state',
    label: 'State',
    render: (row) => {
      const { label, tone } = stateWords(row.state)
      return (
        <>
          <Badge tone={tone}>{label}</Badge>
          {progressText(row)}
        </>
      )
    },
  },
  { id: 'taken', label: 'Taken', align: 'end', render: (row) => sum(row, ['inserted', 'updated', 'unchanged']) },
  { id: 'rejected', label: 'Rejected', align: 'end', render: (row) => sum(row, ['rejected']) },
  { id: 'by', label: 'By', render: ({ by }) => <bdi>{by.name}</bdi> },
  { id: 'created', label: 'When', render: ({ created_at }) => <RelativeTime time={created_at} /> },
]

function progressText({ progress, ...row }: ImportRow) {
  if (!progress || !isRunning(row)) return null
  return <span className="ml-2 text-muted text-xs">{formatCount(progress.read, 'record')}</span>
}

/** Figures of what was imported; a check imports nothing. */
function sum({ report }: ImportRow, names: ('inserted' | 'updated' | 'unchanged' | 'rejected')[]) {
  if (report?.run !== 'import') return none
  return formatNumber(report.parts.reduce((all, part) => all + names.reduce((some, name) => some + part[name], 0), 0))
}
