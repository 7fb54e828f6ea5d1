import type { ReactNode } from 'react'
import { messageOf } from '#api/failure.ts'
import { useReload } from '#api/query.ts'
import { useSubmit } from '#lib/use-submit.ts'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/field.tsx'
import { FormActions } from '#ui/overlays/dialog.tsx'

interface ChangeKeyFormProps {
  /** Sends the change: null when nothing is changed, undefined while it cannot be sent. */
  send: () => Promise<unknown> | null | undefined
  /** Said once it is done. */
  done: string
  /** A field shows the failure itself. */
  isInField: (failure: unknown) => boolean
  note: ReactNode
  onClose: () => void
  /** The fields. */
  children: (failure: unknown) => ReactNode
}

/** A change of a key, in a dialog: its fields, when it holds, and the buttons. */
export function ChangeKeyForm({ send, done, isInField, note, onClose, children }: ChangeKeyFormProps) {
  const reload = useReload('listKeys')
  const { submit, isPending, failure } = useSubmit(() => {
    const sending = send()
    if (sending === null) onClose()
    return sending?.then(() => {
      showToast(done)
      void reload()
      onClose()
    })
  })
  return (
    <form onSubmit={submit} className="space-y-4">
      {children(failure)}
      <p className="text-muted text-xs">{note}</p>
      <FormError>{failure !== undefined && !isInField(failure) && messageOf(failure)}</FormError>
      <FormActions isPending={isPending} onCancel={onClose}>
        Save
      </FormActions>
    </form>
  )
}
