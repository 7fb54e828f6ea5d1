import type { Reply } from '#api/operations.ts'
import type { RangeChoice, UsageSearch } from './search.ts'

// Days are those of UTC, as in the periods and the ledger.

const dayMs = 86_400_000

/** Days in the form `2026-11-03`, both ends included. */
export interface DayRange {
  from: string
  to: string
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}

function addDays(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * dayMs)
}

/** The range of a search as times, the second one exclusive. */
export function timesOf({ from, to }: DayRange): { since: string; until: string } {
  return { since: `${from}T00:00:00.000Z`, until: `${addDays(to, 1)}T00:00:00.000Z` }
}

const shortFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const longFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const monthFormat = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' })
const longMonthFormat = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })

function formatShortDay(day: string): string {
  return shortFormat.format(new Date(day))
}

/** `Nov 3, 2026`, or `Nov 3 – 9, 2026`, in the reader's notation. */
export function formatDays({ from, to }: DayRange): string {
  return from === to ? longFormat.format(new Date(from)) : longFormat.formatRange(new Date(from), new Date(to))
}

/** A bar of a plot: a day, a week or a month. */
export interface DayBucket extends DayRange {
  id: string
  label: string
  title: string
}

const mostDailyBars = 62
const mostWeeklyBars = 190

export type BarUnit = 'day' | 'week' | 'month'

/** Wide enough bars to be seen and pointed at. */
export function unitOf({ from, to }: DayRange): BarUnit {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (days <= mostDailyBars) return 'day'
  return days <= mostWeeklyBars ? 'week' : 'month'
}

export function bucketsOf(range: DayRange): DayBucket[] {
  switch (unitOf(range)) {
    case 'day':
      return divide(range, (day) => day, formatShortDay)
    case 'week':
      return divide(range, (day) => addDays(day, 6), formatShortDay)
    case 'month':
      return divide(range, endOfMonth, (from) => monthFormat.format(new Date(from)))
  }
}

function divide(
  { from, to }: DayRange,
  endOf: (day: string) => string,
  labelOf: (from: string) => string,
): DayBucket[] {
  const buckets: DayBucket[] = []
  for (let start = from; start <= to; ) {
    const end = endOf(start) < to ? endOf(start) : to
    buckets.push({ id: `${start}..${end}`, from: start, to: end, label: labelOf(start), title: titleOf(start, end) })
    start = addDays(end, 1)
  }
  return buckets
}

function endOfMonth(day: string): string {
  const [year, month] = day.split('-').map(Number)
  return dayOf(Date.UTC(year!, month!, 0))
}

function titleOf(from: string, to: string): string {
  const isMonth = from.endsWith('-01') && endOfMonth(from) === to
  return isMonth ? longMonthFormat.format(new Date(from)) : formatDays({ from, to })
}

/** The range of a bar, from its id in the address. */
export function rangeOfBar(bar: string): DayRange {
  const [from, to] = bar.split('..') as [string, string]
  return { from, to }
}

const daysBack = { '30d': 29, '90d': 89, '12m': 364 }

/** The days that the page shows. Undefined until the period is known. */
export function rangeOf(
  search: UsageSearch,
  usage: Reply<'getUsage'> | undefined,
  nowMs: number,
): DayRange | undefined {
  const today = dayOf(nowMs)
  const { range, from, to } = search
  if (range === 'days' && from && to && from <= to) return { from, to }
  if (range && range !== 'days') return { from: addDays(today, -daysBack[range]), to: today }
  if (!usage) return undefined
  const { period_start, period_end } = usage.search_rows
  return { from: period_start.slice(0, 10), to: dayOf(Date.parse(period_end) - 1) }
}

export const rangeNames: Record<RangeChoice, string> = {
  period: 'This period',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12m': 'Last 12 months',
  days: 'Other days',
}
