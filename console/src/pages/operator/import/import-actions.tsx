import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { addressOf } from '#api/operations.ts'
import { Button, buttonClass } from '#ui/actions/button.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import { type ImportRow, isRunning, keepImport } from '../api.ts'
import { cancelUpload } from '../imports/uploads.ts'

/** The actions on the files of an import. */
export function ImportActions({ job }: { job: ImportRow }) {
  const queryClient = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  const isUnused = job.state === 'uploading' || job.state === 'ready'
  const remove = async () => {
    cancelUpload(job.id)
    keepImport(queryClient, await call('removeImportFiles', { id: String(job.id) }))
  }
  if (isRunning(job) || (!job.has_file && job.rejects.length === 0)) return null
  return (
    <>
      {job.rejects.map((of) => (
        <a
          key={of}
          href={addressOf('getImportRejects', { id: String(job.id), of })}
          download
          className={buttonClass('secondary')}
        >
          <Download aria-hidden />
          {labelOfRejects(job, of)}
        </a>
      ))}
      <Button onPress={() => setIsAsking(true)}>{isUnused ? 'Cancel import' : 'Remove files'}</Button>
      <ConfirmDialog
        title={isUnused ? 'Cancel this import?' : 'Remove the files of this import?'}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        confirmLabel={isUnused ? 'Cancel import and remove file' : 'Remove files'}
        isDanger
        onConfirm={remove}
      >
        <p>
          {isUnused
            ? 'The uploaded file is removed from the server. Nothing of it was imported.'
            : 'The uploaded file and the rejects are removed from the server. What was imported stays, and so does the report.'}
        </p>
      </ConfirmDialog>
    </>
  )
}

function labelOfRejects({ kind, rejects_format }: ImportRow, of: ImportRow['rejects'][number]): string {
  const what = kind === 'stores+contacts' ? `rejected ${of === 'stores' ? 'stores' : 'people'}` : 'rejects'
  return `Download ${what}${rejects_format === 'xlsx' ? ' (.xlsx)' : ''}`
}
