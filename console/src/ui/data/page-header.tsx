import { type ReactNode, useEffect } from 'react'

interface PageHeaderProps {
  title: string
  /** The window's title, where it differs. */
  documentTitle?: string
  /** Beside the title, such as how many there are. */
  summary?: ReactNode
  description?: ReactNode
  actions?: ReactNode
}

/** The beginning of every page, at once and not only when its data is there: after a change of page the focus goes here. */
export function PageHeader({ title, documentTitle = title, summary, description, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${documentTitle} · Storedex`
  }, [documentTitle])
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h1 tabIndex={-1} dir="auto" className="font-semibold text-xl wrap-anywhere">
            {title}
          </h1>
          {summary}
        </div>
        {description && <div className="mt-1 text-muted">{description}</div>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  )
}
