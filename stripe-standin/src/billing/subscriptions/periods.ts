import type { Interval } from '../../state/records.ts'

const daySeconds = 86_400

export interface Recurrence {
  readonly interval: Interval
  readonly interval_count: number
}

/** The first moment after `after` at which a cycle that is counted from `anchor` turns. */
export function nextTurn(anchor: number, recurrence: Recurrence, after: number): number {
  const shortestSeconds = { day: 1, week: 7, month: 28, year: 365 }[recurrence.interval] * daySeconds
  // Start at a count that cannot be too high and walk up; months and years differ in length.
  let count = Math.max(0, Math.floor((after - anchor) / (shortestSeconds * recurrence.interval_count * 1.12)))
  while (turn(anchor, recurrence, count) <= after) count += 1
  return turn(anchor, recurrence, count)
}

/** Turn number `count` of the cycle: always counted from the anchor, so that the 31st is back after a short month. */
function turn(anchor: number, { interval, interval_count }: Recurrence, count: number): number {
  const steps = interval_count * count
  if (interval === 'day') return anchor + steps * daySeconds
  if (interval === 'week') return anchor + steps * 7 * daySeconds
  const months = interval === 'year' ? steps * 12 : steps
  const start = new Date(anchor * 1000)
  const firstOfMonth = new Date(start)
  firstOfMonth.setUTCDate(1)
  firstOfMonth.setUTCMonth(start.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(firstOfMonth.getUTCFullYear(), firstOfMonth.getUTCMonth() + 1, 0)).getUTCDate()
  firstOfMonth.setUTCDate(Math.min(start.getUTCDate(), lastDay))
  return Math.floor(firstOfMonth.getTime() / 1000)
}
