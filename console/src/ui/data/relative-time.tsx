import { useSyncExternalStore } from 'react'
import { formatRelative, formatTime } from '#lib/format.ts'

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
