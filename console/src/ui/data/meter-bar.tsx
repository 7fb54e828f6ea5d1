import { classNames } from '../class-names.ts'

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
