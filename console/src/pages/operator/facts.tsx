import type { ReactNode } from 'react'

interface FactsProps {
  title: string
  /** Beside the title. */
  action?: ReactNode
  facts: readonly (readonly [name: string, value: ReactNode])[]
}

/** A section of names and values. */
export function Facts({ title, action, facts }: FactsProps) {
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-surface">
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-2 border-line border-b px-4 py-1.5">
        <h2 className="font-semibold">{title}</h2>
        {action}
      </div>
      <dl className="divide-y divide-line px-4">
        {facts.map(([name, value]) => (
          <div key={name} className="flex flex-wrap justify-between gap-x-4 py-1.5">
            <dt className="text-muted">{name}</dt>
            <dd className="ml-auto min-w-0 text-right wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** For a value that is not there. */
export const none = <span className="text-muted">–</span>

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
