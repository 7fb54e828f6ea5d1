import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { failureProps, hasCode } from '#api/failure.ts'
import { formatBytes } from '#lib/format.ts'
import { Link } from '#ui/actions/link.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import { type ImportRow, importQuery } from '../api.ts'
import { importKindNames, stateWords } from '../imports/labels.ts'
import { ImportActions } from './import-actions.tsx'
import { ImportSteps } from './import-steps.tsx'

/** One import: its upload, how its file is read, its run and its report. */
export default function ImportPage() {
  const { import: number } = useParams({ from: '/app/operator/imports/$import' })
  return /^[1-9]\d{0,14}$/.test(number) ? <ImportOf key={number} id={Number(number)} /> : <NoSuchImport />
}

function ImportOf({ id }: { id: number }) {
  const { data, error, isFetching, refetch } = useQuery(importQuery(id))
  if (hasCode(error, 'import_not_found')) return <NoSuchImport />
  return (
    <>
      <PageHeader
        title={data?.import.file_name ?? 'Import'}
        description={data && <Facts job={data.import} sheet={data.options.sheet} />}
        actions={data && <ImportActions job={data.import} />}
      />
      {data ? (
        <ImportSteps reading={data} />
      ) : error ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : (
        <PageSpinner />
      )}
    </>
  )
}

function Facts({ job, sheet }: { job: ImportRow; sheet: string | undefined }) {
  const { label, tone } = stateWords(job.state)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span role="status">
        <Badge tone={tone}>{label}</Badge>
      </span>
      <span>{importKindNames[job.kind]}</span>
      <span>{formatBytes(job.bytes)}</span>
      {sheet !== undefined && (
        <span>
          Sheet “<bdi>{sheet}</bdi>”
        </span>
      )}
      <span>
        <bdi>{job.by.name}</bdi>, <RelativeTime time={job.created_at} />
      </span>
      <Link href="/operator/imports">All imports</Link>
    </div>
  )
}

function NoSuchImport() {
  return (
    <>
      <PageHeader title="No such import" />
      <EmptyState title="There is no import with this number">
        <Link href="/operator/imports">Go to all imports</Link>
      </EmptyState>
    </>
  )
}
