import { type FormEvent, type ReactNode, useState } from 'react'
import { messageOf } from '#api/failure.ts'
import { showToast } from '#ui/feedback/toasts.tsx'
import { FormError } from '#ui/fields/form-error.tsx'
import { FormActions } from '#ui/overlays/dialog.tsx'
import { useReloadKeys } from './queries.ts'

interface ChangeKeyFormProps {
  account: string
  /** Sends the change: null when nothing is changed, undefined while it cannot be sent. */
  send: () => Promise<unknown> | null | undefined
  /** Said once it is done. */
  done: string
  /** Whether a field shows the failure itself. */
  isInField: (failure: unknown) => boolean
  note: ReactNode
  onClose: () => void
  /** The fields. */
  children: (failure: unknown) => ReactNode
}

/** A change of a key, in a dialog: its fields, when it holds, and the buttons. */
export function ChangeKeyForm({ account, send, done, isInField, note, onClose, children }: ChangeKeyFormProps) {
  const [isPending, setIsPending] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const reload = useReloadKeys(account)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const sending = send()
    if (sending === undefined) return
    if (sending === null) return onClose()
    setIsPending(true)
    setFailure(undefined)
    try {
      await sending
      showToast(done)
      void reload()
      onClose()
    } catch (error) {
      setFailure(error)
      setIsPending(false)
    }
  }

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
