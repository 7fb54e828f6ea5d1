import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { IconButton } from '../actions/button.tsx'
import { classNames } from '../class-names.ts'
import { backdropClass } from './dialog.tsx'

interface DrawerProps {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  side?: 'left' | 'right'
  /** Stays at the lower edge, such as `Show 1,204 stores`. */
  footer?: ReactNode
}

/** A dialog from the side of the window: the menu and the filters on a phone. */
export function Drawer({ title, isOpen, onClose, children, side = 'left', footer }: DrawerProps) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable className={backdropClass}>
      <Modal className={classNames('fixed inset-y-0 w-80 max-w-[88vw]', side === 'left' ? 'left-0' : 'right-0')}>
        <AriaDialog className="flex h-dvh flex-col bg-surface shadow-overlay outline-none">
          <div className="flex items-center justify-between gap-4 border-line border-b py-2 pr-2 pl-4">
            <Heading slot="title" level={2} className="font-semibold text-lg">
              {title}
            </Heading>
            <IconButton label="Close" icon={<X aria-hidden />} onPress={onClose} />
          </div>
          <div className="flex-1 overflow-auto p-4">{children}</div>
          {footer && <div className="border-line border-t p-4">{footer}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
