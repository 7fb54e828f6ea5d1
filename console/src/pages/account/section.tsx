import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  description?: ReactNode
  children: ReactNode
}

/** One subject of a page of settings. No landmark: its fields have names of their own. */
export function Section({ title, description, children }: SectionProps) {
  return (
    <div className="mt-4 rounded-lg border border-line bg-surface p-4">
      <h2 className="font-semibold">{title}</h2>
      {description && <div className="mt-1 text-muted">{description}</div>}
      <div className="mt-3">{children}</div>
    </div>
  )
}
