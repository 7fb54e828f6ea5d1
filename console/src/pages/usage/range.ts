import type { UsageReply } from './api.ts'
import { addDays, type DayRange, dayOf } from './days.ts'
import type { RangeChoice, UsageSearch } from './search.ts'

const daysBack = { '30d': 29, '90d': 89, '12m': 364 }

/** The days that the page shows. Undefined until the period is known. */
export function rangeOf(search: UsageSearch, usage: UsageReply | undefined, nowMs: number): DayRange | undefined {
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
