import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'

const tones = {
  neutral: 'bg-sunken text-muted',
  accent: 'bg-accent-soft text-accent-text',
  success: 'bg-success-soft text-success-text',
  warning: 'bg-warning-soft text-warning-text',
  danger: 'bg-danger-soft text-danger-text',
}

export type BadgeTone = keyof typeof tones

/** A state or a label in one or two words. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-block max-w-full truncate rounded-sm px-1.5 py-0.5 align-middle text-xs',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}
