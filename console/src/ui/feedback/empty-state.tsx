import type { ReactNode } from 'react'

interface EmptyStateProps {
  title: string
  /** What to do about it. */
  children?: ReactNode
  actions?: ReactNode
}

export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-14 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="text-muted">{children}</div>}
      {actions && <div className="mt-2 flex flex-wrap items-center justify-center gap-2">{actions}</div>}
    </div>
  )
}
