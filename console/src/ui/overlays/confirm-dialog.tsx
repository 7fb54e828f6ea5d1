import { type ReactNode, useState } from 'react'
import { Button } from '../actions/button.tsx'
import { FormError } from '../fields/field.tsx'
import { Dialog, DialogActions } from './dialog.tsx'

interface ConfirmDialogProps {
  title: string
  isOpen: boolean
  onClose: () => void
  /** The consequence, in a sentence or two. */
  children: ReactNode
  confirmLabel: string
  isDanger?: boolean
  /** The dialog closes when it is done; when it fails the dialog says why and stays. */
  onConfirm: () => Promise<unknown> | undefined
}

/** Asks once before something that cannot be taken back. */
export function ConfirmDialog({
  title,
  isOpen,
  onClose,
  children,
  confirmLabel,
  isDanger,
  onConfirm,
}: ConfirmDialogProps) {
  const [isPending, setIsPending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const close = () => {
    setProblem(undefined)
    onClose()
  }
  const confirm = async () => {
    setIsPending(true)
    setProblem(undefined)
    try {
      await onConfirm()
      close()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'This did not work.')
    } finally {
      setIsPending(false)
    }
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close} isQuestion>
      {children}
      <FormError>{problem}</FormError>
      <DialogActions>
        <Button onPress={close} autoFocus={isDanger ?? false}>
          Cancel
        </Button>
        <Button variant={isDanger ? 'danger' : 'primary'} isPending={isPending} onPress={confirm} autoFocus={!isDanger}>
          {confirmLabel}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
