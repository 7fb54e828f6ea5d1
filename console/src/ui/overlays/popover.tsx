import type { ReactNode } from 'react'
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

/** One line of a menu, a list or a palette. */
export const optionClass =
  'flex min-h-8 pointer-coarse:min-h-10 cursor-default items-center gap-2 rounded-sm px-2 py-1 outline-none select-none ' +
  'data-focused:bg-hover data-disabled:text-muted [&_svg]:size-4 [&_svg]:shrink-0'
