import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { Button, IconButton } from '../actions/button.tsx'
import { classNames } from '../class-names.ts'

export const backdropClass = 'fixed inset-0 z-40 bg-backdrop'

interface DialogProps {
  title: string
  isOpen: boolean
  /** Escape, a press outside, and the cross. */
  onClose: () => void
  children: ReactNode
  size?: 'small' | 'medium' | 'large'
  /** For a question that must be answered: a press outside does nothing. */
  isQuestion?: boolean
}

const widths = { small: 'max-w-md', medium: 'max-w-xl', large: 'max-w-3xl' }

/** Keeps the focus inside, and gives it back to where it came from. */
export function Dialog({ title, isOpen, onClose, children, size = 'small', isQuestion = false }: DialogProps) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!isQuestion}
      className={classNames(backdropClass, 'flex items-start justify-center p-3 sm:p-4 sm:pt-[12vh]')}
    >
      <Modal className={classNames('w-full', widths[size])}>
        <AriaDialog className="flex max-h-[calc(100dvh-1.5rem)] flex-col rounded-lg bg-surface shadow-overlay outline-none sm:max-h-[80dvh]">
          <div className="flex items-start justify-between gap-4 border-line border-b py-2 pr-2 pl-4">
            <Heading slot="title" level={2} className="py-1 font-semibold text-lg wrap-anywhere">
              {title}
            </Heading>
            <IconButton label="Close" icon={<X aria-hidden />} onPress={onClose} />
          </div>
          <div className="overflow-auto p-4">{children}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** The buttons at a dialog's end: `Cancel` first, what the dialog is for last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}

interface FormActionsProps {
  isPending: boolean
  onCancel: () => void
  /** The label of the submit button, such as `Save`. */
  children: ReactNode
}

/** The buttons at the end of a form in a dialog. */
export function FormActions({ isPending, onCancel, children }: FormActionsProps) {
  return (
    <DialogActions>
      <Button onPress={onCancel}>Cancel</Button>
      <Button type="submit" variant="primary" isPending={isPending}>
        {children}
      </Button>
    </DialogActions>
  )
}
