import type { ReactNode } from 'react'
import { formatNumber } from '#lib/format.ts'
import { MeterBar } from './meter-bar.tsx'

interface TileProps {
  label: string
  /** What is used, or just the figure. */
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
