import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { failureProps } from '#api/failure.ts'
import { formatBytes } from '#lib/bytes.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Link } from '#ui/actions/link.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { Pagination } from '#ui/data/pagination.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Table, type TableColumn } from '#ui/data/table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { ErrorState } from '#ui/feedback/error-state.tsx'
import { SkeletonRows } from '#ui/feedback/skeleton.tsx'
import { useDelayed } from '#ui/feedback/use-delayed.ts'
import { usePaging } from '../../search/use-paging.ts'
import { none } from '../facts.tsx'
import { type ImportRow, importsQuery, isRunning } from './imports-api.ts'
import { NewImport } from './new-import.tsx'
import { importKindNames, stateWords } from './words.ts'

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
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(importsQuery(search.cursor))
  const { page, onPrevious, onNext } = usePaging('/operator/imports', search, data?.next_cursor ?? null)
  const isOutdated = useDelayed(isPlaceholderData)
  const isLoading = useDelayed(!data)
  if (error) return <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
  if (!data) return isLoading && <SkeletonRows rows={4} />
  if (data.data.length === 0)
    return (
      <EmptyState title="Nothing was imported here yet">
        Imports of the command line are not listed; their batches are under{' '}
        <Link href="/operator/catalogue">Catalogue</Link>.
      </EmptyState>
    )
  return (
    <>
      <Table
        hasCards
        label="Imports"
        columns={columns}
        rows={data.data}
        getId={({ id }) => String(id)}
        isOutdated={isOutdated}
      />
      <Pagination onPrevious={onPrevious} onNext={onNext} isPending={isPlaceholderData}>
        <span role="status">
          {formatCount(data.data.length, 'import')}
          {page > 1 && ` on page ${formatNumber(page)}`}
        </span>
      </Pagination>
    </>
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
