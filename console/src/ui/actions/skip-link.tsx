import type { ReactNode } from 'react'

interface SkipLinkProps {
  /** The id of the element that takes the focus; it needs `tabIndex={-1}`. */
  to: string
  children: ReactNode
}

/** Leads past controls that a keyboard user would pass one by one. In sight while it has the focus. */
export function SkipLink({ to, children }: SkipLinkProps) {
  return (
    <a
      href={`#${to}`}
      onClick={(event) => {
        // The address is the state of the page, and has no place in it.
        event.preventDefault()
        const target = document.getElementById(to)
        target?.focus()
        target?.scrollIntoView({ block: 'nearest' })
      }}
      className="sr-only focus:not-sr-only focus:fixed! focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-surface focus:px-3 focus:py-2 focus:shadow-overlay"
    >
      {children}
    </a>
  )
}
