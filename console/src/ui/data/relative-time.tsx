import { useSyncExternalStore } from 'react'
import { formatNumber, formatRelative, formatTime } from '#lib/format.ts'

const tickMs = 30_000
let nowMs = Date.now()

function subscribe(notify: () => void): () => void {
  const timer = setInterval(() => {
    nowMs = Date.now()
    notify()
  }, tickMs)
  return () => clearInterval(timer)
}

/** How long ago; the exact time in the tooltip and in the element's attribute. */
export function RelativeTime({ time }: { time: string }) {
  const now = useSyncExternalStore(subscribe, () => nowMs)
  return (
    <time dateTime={time} title={formatTime(time)} className="whitespace-nowrap">
      {formatRelative(time, now)}
    </time>
  )
}

/** A number in the reader's notation. */
export function Num({ value, isCompact }: { value: number; isCompact?: boolean }) {
  return isCompact ? (
    <span title={formatNumber(value)}>{formatNumber(value, { notation: 'compact', maximumFractionDigits: 1 })}</span>
  ) : (
    <span>{formatNumber(value)}</span>
  )
}
