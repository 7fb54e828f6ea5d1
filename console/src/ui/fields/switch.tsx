import type { ReactNode } from 'react'
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from 'react-aria-components/Switch'
import { classNames } from '../class-names.ts'

interface SwitchProps extends Omit<AriaSwitchProps, 'children' | 'className'> {
  children: ReactNode
  className?: string
}

/** For what holds at once, without a button to save it. */
export function Switch({ children, className, ...props }: SwitchProps) {
  return (
    <AriaSwitch
      {...props}
      className={classNames('group flex min-h-6 items-center gap-2 data-disabled:text-muted', className)}
    >
      <span className="inline-flex h-4.5 w-8 shrink-0 items-center rounded-full border border-control bg-sunken px-0.5 transition-colors group-data-focus-visible:outline-2 group-data-focus-visible:outline-accent-text group-data-focus-visible:outline-offset-1 group-data-selected:border-accent group-data-selected:bg-accent">
        <span className="size-3 rounded-full bg-control transition-transform group-data-selected:translate-x-3.5 group-data-selected:bg-on-accent" />
      </span>
      <span className="min-w-0">{children}</span>
    </AriaSwitch>
  )
}
