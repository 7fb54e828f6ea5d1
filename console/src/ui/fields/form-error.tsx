import type { ReactNode } from 'react'

/** Why a form could not be sent: above its buttons, read out when it appears. The region is there before its text is. */
export function FormError({ children }: { children?: ReactNode }) {
  return (
    <div role="alert" className="text-danger-text wrap-anywhere not-empty:mt-4">
      {children}
    </div>
  )
}
