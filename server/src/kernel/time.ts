/** Where a moment comes from. Passed in everywhere, so that tests and replays choose the time. */
export interface Clock {
  now(): Date
}

/**
 * How far clocks of servers may be apart. A stored moment that lies further ahead was written by a clock that was wrong, and
 * must not bind anybody until that moment comes.
 */
export const clockToleranceMs = 60_000

export const systemClock: Clock = { now: () => new Date() }

/** A stretch of time: `start` belongs to it, `end` does not. */
export interface Period {
  start: Date
  end: Date
}

/**
 * The monthly period that holds `now`, counted from `anchor` in UTC, its time of day included. Every boundary is
 * computed from the anchor itself: one on the 31st falls on the last day of a shorter month and is back on the 31st
 * in the next long one. Periods reach back before the anchor as well.
 */
export function monthlyPeriodAt(anchor: Date, now: Date): Period {
  const monthsApart = (now.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + now.getUTCMonth() - anchor.getUTCMonth()
  // The boundary within now's own month is either behind now, and opens the period, or still ahead, and ends it.
  const boundary = addMonths(anchor, monthsApart)
  return boundary.getTime() <= now.getTime()
    ? { start: boundary, end: addMonths(anchor, monthsApart + 1) }
    : { start: addMonths(anchor, monthsApart - 1), end: boundary }
}

/** The UTC day that holds `now`. */
export function utcDayAt(now: Date): Period {
  const start = new Date(now)
  start.setUTCHours(0, 0, 0, 0)
  const end = new Date(start)
  end.setUTCDate(end.getUTCDate() + 1)
  return { start, end }
}

function addMonths(anchor: Date, months: number): Date {
  const result = new Date(anchor)
  // The first of the month for now: changing the month of a 31st would run over into the next one.
  result.setUTCDate(1)
  result.setUTCMonth(result.getUTCMonth() + months)
  result.setUTCDate(Math.min(anchor.getUTCDate(), daysInMonth(result.getUTCFullYear(), result.getUTCMonth() + 1)))
  return result
}

/**
 * Reads a moment as requests and records write it: ISO 8601 date, `T`, time and offset (`Z` or `±hh:mm`), years 1 to 9999.
 * Seconds may be left out. Returns whole milliseconds since 1970, what is finer being dropped, or null for what is no real
 * moment: a day the calendar lacks, hour 24, a time without an offset.
 */
export function parseTimestamp(text: string): number | null {
  const parts = momentPattern.exec(text)?.groups
  if (!parts) return null
  const number = (name: string) => Number(parts[name] ?? 0)
  const [year, month, day, second] = [number('year'), number('month'), number('day'), number('second')]
  const offsetMinutes = offsetOf(parts.offset!)
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null
  if (number('hour') > 23 || number('minute') > 59 || second > 60 || offsetMinutes === null) return null

  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const startOfMinute = date.getTime() + (number('hour') * 60 + number('minute') - offsetMinutes) * 60_000
  // A leap second only ever ends a UTC day; the clock here has none, so it is the next day's first moment.
  if (second === 60 && !isMidnight(startOfMinute + 60_000)) return null
  const millisecond = second === 60 ? 0 : Number((parts.fraction ?? '').slice(0, 3).padEnd(3, '0'))
  const moment = startOfMinute + second * 1000 + millisecond
  return moment < firstMoment || moment > lastMoment ? null : moment
}

const momentPattern =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[Tt](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?<offset>[Zz]|[+-]\d\d(?::?\d\d)?)$/

// What both Date and PostgreSQL write with a four-digit year.
const firstMoment = Date.parse('0001-01-01T00:00:00.000Z')
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z')

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function offsetOf(text: string): number | null {
  if (text === 'Z' || text === 'z') return 0
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return null
  return (text[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

function isMidnight(moment: number): boolean {
  return moment % 86_400_000 === 0
}

/** A figure as sentences show it: 25,000. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}

/** The UTC day of a moment: 2026-11-21. */
export function formatDay(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
