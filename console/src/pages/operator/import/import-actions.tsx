import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button, buttonClass } from '#ui/actions/button.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import {
  type ImportRow,
  importKey,
  importsKey,
  isRunning,
  rejectsUrl,
  removeImportFiles,
} from '../imports/imports-api.ts'
import { cancelUpload } from '../imports/uploads.ts'

/** What can be done with the files of an import. */
export function ImportActions({ job }: { job: ImportRow }) {
  const queryClient = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  const isUnused = job.state === 'uploading' || job.state === 'ready'
  const remove = async () => {
    cancelUpload(job.id)
    queryClient.setQueryData(importKey(job.id), await removeImportFiles(job.id))
    await queryClient.invalidateQueries({ queryKey: importsKey })
  }
  if (isRunning(job) || (!job.has_file && job.rejects.length === 0)) return null
  return (
    <>
      {job.rejects.map((of) => (
        <a key={of} href={rejectsUrl(job.id, of)} download className={buttonClass('secondary')}>
          <Download aria-hidden />
          {job.kind === 'stores+contacts'
            ? `Download rejected ${of === 'stores' ? 'stores' : 'people'}`
            : 'Download rejects'}
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
