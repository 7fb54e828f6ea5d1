import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { useReload } from '#api/query.ts'
import { formatBytes } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Banner } from '#ui/feedback/banner.tsx'
import { ProgressBar } from '#ui/feedback/progress-bar.tsx'
import { FileField } from '#ui/fields/file-field.tsx'
import { type ImportRow, keepImport } from '../api.ts'
import { acceptedEndings } from '../imports/labels.ts'
import { retryUpload, startUpload, useUpload } from '../imports/uploads.ts'

/** How far the upload is; by this tab, or to be continued. */
export function UploadSection({ job }: { job: ImportRow }) {
  const queryClient = useQueryClient()
  const upload = useUpload(job.id)
  const [otherFile, setOtherFile] = useState<string>()
  const reload = useReload('listImports', 'getImport')
  const continueWith = async (file: File) => {
    if (!isSameFile(job, file)) {
      setOtherFile(`This is not the same file: ${job.file_name} has ${formatBytes(job.bytes)}.`)
      return
    }
    setOtherFile(undefined)
    // Another tab may have sent more by now.
    const reply = await call('getImport', { id: String(job.id) })
    keepImport(queryClient, reply)
    startUpload(job.id, file, reply.import.received, reload)
  }
  const sent = upload?.sent ?? job.received
  return (
    <section aria-label="Upload" className="max-w-2xl space-y-4">
      <ProgressBar
        label="Uploading"
        value={sent}
        max={job.bytes}
        text={`${formatBytes(sent)} of ${formatBytes(job.bytes)}`}
      />
      {upload && !upload.failure && (
        <p className="text-muted">Keep this tab open. You can look at other pages meanwhile.</p>
      )}
      {upload?.failure !== undefined && (
        <Banner
          isAnnounced
          tone="danger"
          actions={<Button onPress={() => retryUpload(job.id, reload)}>Continue</Button>}
        >
          {messageOf(upload.failure)}
        </Banner>
      )}
      {!upload && (
        <>
          <p>The upload was interrupted. Choose the same file to continue where it ended.</p>
          <FileField
            label={`Drop ${job.file_name} here`}
            buttonLabel="Choose the file"
            accepts={acceptedEndings}
            onSelect={(file) => void continueWith(file)}
            errorMessage={otherFile}
          />
        </>
      )}
    </section>
  )
}

function isSameFile({ file_name, bytes, modified_at }: ImportRow, file: File): boolean {
  if (file.name !== file_name || file.size !== bytes) return false
  return modified_at === null || Date.parse(modified_at) === file.lastModified
}
