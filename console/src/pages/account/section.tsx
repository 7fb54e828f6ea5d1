import { type ReactNode, useId } from 'react'

interface SectionProps {
  title: string
  description?: ReactNode
  children: ReactNode
}

/** One subject of a page of settings. */
export function Section({ title, description, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mt-4 rounded-lg border border-line bg-surface p-4">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      {description && <div className="mt-1 text-muted">{description}</div>}
      <div className="mt-3">{children}</div>
    </section>
  )
}
