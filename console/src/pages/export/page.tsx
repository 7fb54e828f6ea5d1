import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useAccount } from '#api/account.tsx'
import { failureProps, hasCode } from '#api/failure.ts'
import { Link } from '#ui/actions/link.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { PageHeader } from '#ui/data/page-header.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { ProgressBar } from '#ui/feedback/progress-bar.tsx'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import { EmptyState, ErrorState } from '#ui/feedback/states.tsx'
import type { ExportJob } from '../exports/api.ts'
import { exportQuery, isActive, useReloadAtEnd } from '../exports/api.ts'
import { ExportActions } from '../exports/export-actions.tsx'
import { costText, endingText, fileText, isShort, kindNames, statusWords } from '../exports/labels.ts'

/** One export: how far it is, what it cost, and its file. */
export default function ExportPage() {
  const { export: id } = useParams({ from: '/app/exports/$export' })
  const { id: account } = useAccount()
  const { data: job, error, isFetching, refetch } = useQuery(exportQuery(account, id))
  useReloadAtEnd(job)
  if (hasCode(error, 'export_not_found') || hasCode(error, 'invalid_export_id')) return <NoSuchExport />
  return (
    <>
      <PageHeader
        title={job ? kindNames[job.kind] : 'Export'}
        documentTitle="Export"
        description={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {job && <Summary job={job} />}
            <Link href="/exports">All exports</Link>
          </span>
        }
        actions={job && <ExportActions account={account} job={job} />}
      />
      {job ? (
        <Details job={job} />
      ) : error ? (
        <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      ) : (
        <PageSpinner />
      )}
    </>
  )
}

function Summary({ job }: { job: ExportJob }) {
  const { label, tone } = statusWords(job.status)
  return (
    <>
      <span role="status">
        <Badge tone={tone}>{label}</Badge>
      </span>
      <RelativeTime time={job.created_at} />
    </>
  )
}

function Details({ job }: { job: ExportJob }) {
  const { file, status, progress } = job
  const ending = endingText(job)
  const facts = [
    ['Cost', costText(job.cost)],
    ['File', file && fileText(file)],
    [
      'Kept until',
      file && (
        <>
          <RelativeTime time={file.expires_at} />; then it can be made again, free of charge
        </>
      ),
    ],
    ['SHA-256', file && <code className="text-xs wrap-anywhere select-all">{file.sha256}</code>],
    ['Ended', job.finished_at && <RelativeTime time={job.finished_at} />],
    [
      'Export',
      <code className="text-xs select-all" key="id">
        {job.id}
      </code>,
    ],
  ] as const
  return (
    <div className="max-w-2xl space-y-4">
      {ending && (
        <Banner tone={status === 'failed' ? 'danger' : 'info'} isAnnounced>
          {ending} {isShort(job) && <Link href="/billing">Go to Billing</Link>}
        </Banner>
      )}
      {isActive(job) &&
        (status === 'queued' ? (
          <p>It waits until the export before it has ended.</p>
        ) : (
          <ProgressBar label="Exporting" value={progress.rows} max={progress.of} />
        ))}
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name} className="contents">
                <dt className="text-muted">{name}</dt>
                <dd className="min-w-0">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </div>
  )
}

function NoSuchExport() {
  return (
    <>
      <PageHeader title="No such export" />
      <EmptyState title="This account has no export with this id">
        <Link href="/exports">Go to all exports</Link>
      </EmptyState>
    </>
  )
}
