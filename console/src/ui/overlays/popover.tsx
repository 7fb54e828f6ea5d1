import type { ReactElement, ReactNode } from 'react'
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog'
import { Popover as AriaPopover, type PopoverProps as AriaPopoverProps } from 'react-aria-components/Popover'
import { classNames } from '../class-names.ts'

export type PopoverPlacement = NonNullable<AriaPopoverProps['placement']>

interface PopoverProps {
  children: ReactNode
  placement?: PopoverPlacement
  /** Without padding, for lists. */
  isBare?: boolean
  className?: string
}

/** The surface of menus and lists; inside one of React Aria's triggers. */
export function Popover({ children, placement = 'bottom start', isBare, className }: PopoverProps) {
  return (
    <AriaPopover
      placement={placement}
      offset={4}
      className={classNames(
        'max-w-[calc(100vw-1rem)] overflow-auto rounded-lg bg-surface shadow-overlay outline-none',
        !isBare && 'p-4',
        className,
      )}
    >
      {children}
    </AriaPopover>
  )
}

interface PopoverDialogProps {
  /** The button that opens it. */
  trigger: ReactElement
  label: string
  children: ReactNode | ((close: () => void) => ReactNode)
  placement?: PopoverPlacement
  className?: string
}

/** A small dialog beside its button, such as a choice of columns. */
export function PopoverDialog({ trigger, label, children, placement, className }: PopoverDialogProps) {
  return (
    <DialogTrigger>
      {trigger}
      <Popover {...(placement && { placement })} {...(className && { className })}>
        <Dialog aria-label={label} className="outline-none">
          {({ close }) => (typeof children === 'function' ? children(close) : children)}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
