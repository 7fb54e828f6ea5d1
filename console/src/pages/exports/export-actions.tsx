import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useIsAtLeast } from '#api/account.tsx'
import { call } from '#api/client.ts'
import { messageOf } from '#api/failure.ts'
import { addressOf } from '#api/operations.ts'
import { Button, buttonClass } from '#ui/actions/button.tsx'
import { showToast } from '#ui/feedback/toasts.tsx'
import { ConfirmDialog } from '#ui/overlays/confirm-dialog.tsx'
import type { ExportJob } from './api.ts'
import { isActive, keepExport, reloadAfterExport } from './api.ts'
import { fileText, kindNames } from './labels.ts'

type ExportFile = NonNullable<ExportJob['file']>

interface ExportActionsProps {
  account: string
  job: ExportJob
  isSmall?: boolean
}

/** The file, or the end of what still runs. For members: a viewer sees no channels, and spends nothing. */
export function ExportActions({ account, job, isSmall = false }: ExportActionsProps) {
  const mayTake = useIsAtLeast('member')
  const { stop, isStopping } = useStop(account, job)
  if (isActive(job))
    return (
      <Button
        isSmall={isSmall}
        isPending={isStopping}
        onPress={stop}
        disabledReason={mayTake ? undefined : 'A viewer cannot stop it. Ask a member of the account.'}
      >
        {job.status === 'queued' ? 'Cancel' : 'Stop'}
      </Button>
    )
  if (!job.file || !mayTake) return null
  return (
    <span className="inline-flex gap-2">
      <a
        href={addressOf('getExportFile', { account, id: job.id })}
        download
        className={buttonClass('secondary', isSmall)}
      >
        <Download aria-hidden />
        Download
        <span className="sr-only"> {kindNames[job.kind]}</span>
      </a>
      <DeleteButton account={account} job={job} file={job.file} isSmall={isSmall} />
    </span>
  )
}

/** Makes room for other files, once it is confirmed. */
function DeleteButton({ account, job, file, isSmall }: Required<ExportActionsProps> & { file: ExportFile }) {
  const client = useQueryClient()
  const [isOpen, setIsOpen] = useState(false)
  const remove = async () => {
    keepExport(client, account, await call('deleteExport', { account, id: job.id }))
    reloadAfterExport(client)
    showToast('The file was deleted.')
  }
  return (
    <>
      <Button isSmall={isSmall} onPress={() => setIsOpen(true)} aria-haspopup="dialog">
        Delete
        <span className="sr-only"> {kindNames[job.kind]}</span>
      </Button>
      <ConfirmDialog
        title="Delete this file?"
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        confirmLabel="Delete"
        isDanger
        onConfirm={remove}
      >
        <p>
          The file with its {fileText(file)} goes at once. What was paid stays yours: exported again in this period, it
          is free.
        </p>
      </ConfirmDialog>
    </>
  )
}

/** Stop, which takes less than a second. Pressed until the server says that it has ended. */
export function useStop(account: string, job: ExportJob | undefined): { stop: () => void; isStopping: boolean } {
  const client = useQueryClient()
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: (id: string) => call('cancelExport', { account, id }),
    onSuccess: (reply) => keepExport(client, account, reply),
    onError: (error) => showToast(messageOf(error)),
  })
  return {
    stop: () => job && mutate(job.id),
    isStopping: isPending || (isSuccess && job !== undefined && isActive(job)),
  }
}
