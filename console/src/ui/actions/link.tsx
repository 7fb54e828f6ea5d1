import type { ReactNode } from 'react'
import { Link as AriaLink } from 'react-aria-components/Link'
import { classNames } from '../class-names.ts'

/** The look of a link in running text, for one that is made elsewhere. */
export const linkClass = 'rounded-sm text-accent-text underline decoration-1 underline-offset-2'
/** Without the line, where the place makes plain that it is one: in a table, in a list. */
export const plainLinkClass = 'rounded-sm text-accent-text underline-offset-2 hover:underline'

interface LinkProps {
  href: string
  children: ReactNode
  /** Opens in a new tab; for addresses outside Storedex. */
  isExternal?: boolean
  /** Underlined only when pointed at: in a table, in a list. */
  isPlain?: boolean
  className?: string
  'aria-label'?: string
}

/** A link. Inside the console it changes the page without a reload. */
export function Link({ isExternal, isPlain, className, ...props }: LinkProps) {
  const elsewhere = isExternal ? { target: '_blank', rel: 'noopener noreferrer nofollow' } : {}
  return <AriaLink {...props} {...elsewhere} className={classNames(isPlain ? plainLinkClass : linkClass, className)} />
}
