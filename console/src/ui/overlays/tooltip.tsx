import type { ReactNode } from 'react'
import { Tooltip as AriaTooltip } from 'react-aria-components/Tooltip'

/** Goes into React Aria's `TooltipTrigger`, after what it explains. */
export function Tooltip({ children }: { children: ReactNode }) {
  return (
    <AriaTooltip offset={6} className="max-w-72 rounded-md bg-text px-2 py-1 text-bg text-xs shadow-overlay">
      {children}
    </AriaTooltip>
  )
}
