import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  description?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A part of a page, with a heading of its own. */
export function OperatorSection({ title, description, action, children }: SectionProps) {
  return (
    <section className="mt-8 first:mt-0">
      <div className="mb-2 flex flex-wrap items-end justify-between gap-2">
        <div className="min-w-0">
          <h2 className="font-semibold text-lg">{title}</h2>
          {description && <p className="text-muted">{description}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
