import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { type ImportOptions, type ImportReading, isRunning, keepImport } from '../api.ts'
import { ReadingSection } from './reading-section.tsx'
import { ReportSection } from './report-section.tsx'
import { RunSection } from './run-section.tsx'
import { UploadSection } from './upload-section.tsx'

/** The part of an import that it is at: upload, reading, run, report. */
export function ImportSteps({ reading }: { reading: ImportReading }) {
  const { import: job } = reading
  const queryClient = useQueryClient()
  const [options, setOptions] = useState<ImportOptions>(reading.options)
  const [isChanging, setIsChanging] = useState(false)
  const region = useFocusKeptIn(job.state)
  const run = useMutation({
    mutationFn: ([what, using]: ['check' | 'import', ImportOptions]) =>
      call(what === 'check' ? 'checkImport' : 'runImport', { id: String(job.id), body: { options: using } }),
    onSuccess: (reply) => {
      setIsChanging(false)
      keepImport(queryClient, reply)
    },
  })
  const start = (what: 'check' | 'import', using = options) => {
    setOptions(using)
    run.mutate([what, using])
  }
  const canRun = job.has_file && job.state !== 'uploading' && !isRunning(job)
  const isFirst = job.state === 'ready'
  return (
    <div ref={region} tabIndex={-1} className="space-y-6 outline-none">
      {job.error && <Banner tone={job.state === 'failed' ? 'danger' : 'warning'}>{job.error}</Banner>}
      {job.state === 'interrupted' && (
        <Banner tone="warning">
          The server ended while this was running. What was imported before stays; running it again finishes it.
        </Banner>
      )}
      {job.state === 'stopped' && job.has_file && (
        <Banner>Stopped. What was imported before stays; running it again finishes it.</Banner>
      )}
      {job.state === 'uploading' && <UploadSection job={job} />}
      {isRunning(job) && <RunSection job={job} />}
      {job.report && !isRunning(job) && (
        <ReportSection
          report={job.report}
          canMend={job.rejects.length > 0}
          onDrop={canRun ? () => start(job.report!.run, { ...options, on_bad_value: 'drop' }) : undefined}
          isPending={run.isPending}
        />
      )}
      {canRun && !isFirst && !isChanging && (
        <div className="flex flex-wrap gap-2">
          <Button
            variant={job.state === 'done' ? 'secondary' : 'primary'}
            isPending={run.isPending}
            onPress={() => start('import')}
          >
            Run again
          </Button>
          <Button onPress={() => setIsChanging(true)}>Change how it is read</Button>
        </div>
      )}
      {canRun && (isFirst || isChanging) && (
        <ReadingSection
          job={job}
          options={options}
          onChange={setOptions}
          onRun={(what) => start(what)}
          pending={run.isPending ? run.variables[0] : null}
        />
      )}
      <FormError>{run.error ? messageOf(run.error) : undefined}</FormError>
    </div>
  )
}

/** When a change of state removes what has the focus, the focus goes to the region. */
function useFocusKeptIn(state: string) {
  const region = useRef<HTMLDivElement>(null)
  const shown = useRef(state)
  useEffect(() => {
    if (shown.current === state) return
    shown.current = state
    if (document.activeElement === document.body) region.current?.focus({ preventScroll: true })
  }, [state])
  return region
}
