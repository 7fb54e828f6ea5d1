import type { ReactNode } from 'react'
import { Link as AriaLink } from 'react-aria-components/Link'
import { classNames } from '../class-names.ts'

export const linkClass = 'text-accent-text underline-offset-2 hover:underline rounded-sm'

interface LinkProps {
  href: string
  children: ReactNode
  /** Opens in a new tab; for addresses outside Storedex. */
  isExternal?: boolean
  className?: string
  'aria-label'?: string
}

/** A link in running text. Inside the console it changes the page without loading anew. */
export function Link({ isExternal, className, ...props }: LinkProps) {
  const elsewhere = isExternal ? { target: '_blank', rel: 'noopener noreferrer nofollow' } : {}
  return <AriaLink {...props} {...elsewhere} className={classNames(linkClass, className)} />
}
