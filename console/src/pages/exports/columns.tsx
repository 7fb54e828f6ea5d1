import { Link } from '@tanstack/react-router'
import { plainLinkClass } from '#ui/actions/link.tsx'
import { Badge } from '#ui/data/badge.tsx'
import { RelativeTime } from '#ui/data/relative-time.tsx'
import type { TableColumn } from '#ui/data/table.tsx'
import type { ExportJob } from './api.ts'
import { isActive } from './api.ts'
import { ExportActions } from './export-actions.tsx'
import { costText, endingText, fileText, kindNames, progressText, statusWords } from './labels.ts'

export function exportColumns(account: string): TableColumn<ExportJob>[] {
  return [
    {
      id: 'what',
      opensRow: true,
      label: 'Export',
      className: 'min-w-44',
      render: (job) => (
        <Link to="/exports/$export" params={{ export: job.id }} className={`${plainLinkClass} font-medium`}>
          {kindNames[job.kind]}
        </Link>
      ),
    },
    {
      id: 'status',
      label: 'Status',
      className: 'max-w-80',
      render: (job) => (
        <>
          <ExportStatus job={job} />
          <span className="block text-muted text-xs wrap-anywhere empty:hidden">{endingText(job)}</span>
        </>
      ),
    },
    {
      id: 'cost',
      label: 'Cost',
      render: ({ cost }) => costText(cost),
    },
    {
      id: 'file',
      label: 'File',
      className: 'whitespace-nowrap',
      render: ({ file }) =>
        file && (
          <>
            <span className="block">{fileText(file)}</span>
            <span className="block text-muted text-xs">
              deleted <RelativeTime time={file.expires_at} />
            </span>
          </>
        ),
    },
    {
      id: 'created',
      label: 'Started',
      render: ({ created_at }) => <RelativeTime time={created_at} />,
    },
    {
      id: 'actions',
      label: 'Actions',
      isLabelHidden: true,
      align: 'end',
      render: (job) => <ExportActions account={account} job={job} isSmall />,
    },
  ]
}

/** `Running 12,400 of 50,000`. */
function ExportStatus({ job }: { job: ExportJob }) {
  const { label, tone } = statusWords(job.status)
  return (
    <span className="whitespace-nowrap">
      <Badge tone={tone}>{label}</Badge>
      {isActive(job) && job.progress.of > 0 && <span className="ml-2 text-muted">{progressText(job.progress)}</span>}
    </span>
  )
}
