import { formatDay } from './format.ts'

type Resolution = 'exact' | 'month' | 'year' | null

const monthFormat = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', timeZone: 'UTC' })
const yearFormat = new Intl.DateTimeFormat(undefined, { year: 'numeric', timeZone: 'UTC' })

const calendarDayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })

/** A day such as `2026-05-31`, the same in all time zones. */
export function formatCalendarDay(day: string): string {
  return calendarDayFormat.format(new Date(`${day}T00:00:00Z`))
}

/** An estimated time, no more exact than it is known. */
export function formatEstimate(time: string, resolution: Resolution): string {
  if (resolution === 'year') return yearFormat.format(new Date(time))
  if (resolution === 'month') return monthFormat.format(new Date(time))
  return formatDay(time)
}
