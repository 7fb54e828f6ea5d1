import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { failureProps } from '#api/failure.ts'
import { addressOf } from '#api/operations.ts'
import { Button, buttonClass } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { ProgressBar } from '#ui/feedback/progress-bar.tsx'
import { ErrorState } from '#ui/feedback/states.tsx'
import { DialogActions } from '#ui/overlays/dialog.tsx'
import type { ExportJob } from '../exports/api.ts'
import { exportQuery, isActive, useReloadAtEnd } from '../exports/api.ts'
import { useStop } from '../exports/export-actions.tsx'
import { costText, endingText, fileText, isShort } from '../exports/labels.ts'

interface ExportRunProps {
  account: string
  id: string
  onClose: () => void
}

/** How far an export is, with a Stop that stops; then its file. */
export function ExportRun({ account, id, onClose }: ExportRunProps) {
  const { data: job, error, refetch, isFetching } = useQuery(exportQuery(account, id))
  useReloadAtEnd(job)
  const { stop, isStopping } = useStop(account, job)
  if (!job)
    return error ? (
      <ErrorState {...failureProps(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
    ) : (
      <ProgressBar label="Exporting" value={0} max={1} text="" />
    )
  if (!isActive(job)) return <Ended account={account} job={job} onClose={onClose} />
  return (
    <>
      <ProgressBar
        label={job.status === 'queued' ? 'Waiting for its turn' : 'Exporting'}
        value={job.progress.rows}
        max={job.progress.of}
        {...(job.status === 'queued' && { text: '' })}
      />
      <p className="mt-3 text-muted">
        {costText(job.cost)} spent so far. You can close this: it goes on under <Link href="/exports">Exports</Link>.
      </p>
      <DialogActions>
        <Button onPress={onClose}>Close</Button>
        <Button onPress={stop} isPending={isStopping} autoFocus>
          Stop
        </Button>
      </DialogActions>
    </>
  )
}

function Ended({ account, job, onClose }: { account: string; job: ExportJob; onClose: () => void }) {
  const link = useRef<HTMLAnchorElement>(null)
  // Stop, which had the focus, is gone.
  useEffect(() => link.current?.focus(), [])
  const ending = endingText(job)
  return (
    <>
      <p role="status">
        {job.file ? `The file is ready: ${fileText(job.file)}. ` : 'There is no file. '}
        {costText(job.cost)} spent.
      </p>
      {job.kind === 'contacts' && job.file && job.file.rows > 0 && (
        <p className="mt-1">
          The people stay under <Link href="/revealed">Revealed</Link>, free of charge.
        </p>
      )}
      {ending && (
        <div className="mt-3">
          <Banner tone={job.status === 'failed' ? 'danger' : 'info'}>
            {ending} {isShort(job) && <Link href="/billing">Go to Billing</Link>}
          </Banner>
        </div>
      )}
      <DialogActions>
        <Button onPress={onClose} autoFocus={!job.file}>
          Done
        </Button>
        {job.file && (
          <a
            ref={link}
            href={addressOf('getExportFile', { account, id: job.id })}
            download
            className={buttonClass('primary')}
          >
            <Download aria-hidden />
            Download
          </a>
        )}
      </DialogActions>
    </>
  )
}
