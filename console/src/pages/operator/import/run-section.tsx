import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { ProgressBar } from '#ui/feedback/progress-bar.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { type ImportRow, keepImport } from '../api.ts'

/** How far a check or an import is, with the way to stop it. */
export function RunSection({ job }: { job: ImportRow }) {
  const queryClient = useQueryClient()
  const stop = useMutation({
    mutationFn: () => call('stopImport', { id: String(job.id) }),
    onSuccess: (reply) => keepImport(queryClient, reply),
  })
  const { progress, run } = job
  const share = progress && progress.bytes_total > 0 ? progress.bytes_read / progress.bytes_total : 0
  const isStopping = job.stopping || stop.isPending
  return (
    <section aria-label="Progress" className="max-w-2xl space-y-3">
      {job.state === 'waiting' ? (
        <p>Waits until the imports before it have ended.</p>
      ) : (
        <>
          <ProgressBar
            label={run === 'check' ? 'Checking' : 'Importing'}
            value={share}
            max={1}
            text={formatNumber(share, { style: 'percent' })}
          />
          <p className="text-muted">
            {progress
              ? `${formatCount(progress.read, 'record')} read, ${formatNumber(progress.rejected)} rejected`
              : 'Starting'}
          </p>
        </>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button isPending={isStopping} onPress={() => stop.mutate()}>
          Stop
        </Button>
        <span className="text-muted">
          {isStopping
            ? 'Ends after the records that are being written.'
            : 'You can leave this page; it goes on by itself.'}
        </span>
      </div>
      <FormError>{stop.error ? messageOf(stop.error) : undefined}</FormError>
    </section>
  )
}
