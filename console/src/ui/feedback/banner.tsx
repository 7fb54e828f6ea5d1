import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'

const tones = {
  info: ['bg-accent-soft text-text [&>svg]:text-accent-text', Info],
  warning: ['bg-warning-soft text-text [&>svg]:text-warning-text', TriangleAlert],
  danger: ['bg-danger-soft text-text [&>svg]:text-danger-text', CircleAlert],
} as const

interface BannerProps {
  tone?: keyof typeof tones
  children: ReactNode
  actions?: ReactNode
  /** Across the whole window, instead of a box on the page. */
  isWide?: boolean
  /** Appears while the user looks at the page, and is read out. */
  isAnnounced?: boolean
}

export function Banner({ tone = 'info', children, actions, isWide, isAnnounced }: BannerProps) {
  const [look, Icon] = tones[tone]
  return (
    <div
      {...(isAnnounced && { role: tone === 'danger' ? 'alert' : 'status' })}
      className={classNames('flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2', look, !isWide && 'rounded-md')}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <div className="min-w-40 flex-1">{children}</div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  )
}
