import type { ReactNode } from 'react'
import { formatNumber } from '#lib/format.ts'
import { classNames } from '../class-names.ts'

interface TileProps {
  label: string
  /** The used amount, or just the figure. */
  value: number
  /** Null or left out: there is none. */
  limit?: number | null
  /** Below the figure, such as `until 1 June`. */
  note?: ReactNode
}

/** A figure with its name, and a bar where it has a limit. */
export function Tile({ label, value, limit, note }: TileProps) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-surface p-4">
      <div className="text-muted">{label}</div>
      <div className="mt-1 text-xl">
        {formatNumber(value)}
        {typeof limit === 'number' && <span className="text-base text-muted"> of {formatNumber(limit)}</span>}
      </div>
      {typeof limit === 'number' && (
        <div className="mt-2">
          <MeterBar value={value} limit={limit} />
        </div>
      )}
      {note && <div className="mt-2 text-muted text-xs">{note}</div>}
    </div>
  )
}

export function Tiles({ children }: { children: ReactNode }) {
  return <div className="grid grid-cols-[repeat(auto-fit,minmax(10rem,1fr))] gap-3">{children}</div>
}

interface MeterBarProps {
  value: number
  limit: number
}

const warnsAt = 0.8

/** How much of a limit is used. It has no name: the figures stand beside it as text. */
export function MeterBar({ value, limit }: MeterBarProps) {
  const share = limit > 0 ? Math.min(1, value / limit) : 1
  const look = share >= 1 ? 'bg-danger' : share >= warnsAt ? 'bg-warning-text' : 'bg-accent'
  return (
    <div className="h-1.5 overflow-hidden rounded-full bg-hover">
      <div className={classNames('h-full rounded-full', look)} style={{ width: `${share * 100}%` }} />
    </div>
  )
}
