export { formatDay, formatTime } from '@storedex/fast-text'

/** The source of the current time. Passed in everywhere, so that tests and replays choose the time. */
export interface Clock {
  now(): Date
}

/**
 * The maximum difference between server clocks. A stored time further ahead was written by a wrong clock and is
 * ignored.
 */
export const clockToleranceMs = 60_000

export const systemClock: Clock = { now: () => new Date() }

/** A time span: `start` inclusive, `end` exclusive. */
export interface Period {
  start: Date
  end: Date
}

/**
 * The monthly period that contains `now`, counted from `anchor` in UTC, including its time of day. Every boundary is
 * computed from the anchor itself: an anchor on the 31st gives the last day of a shorter month and the 31st again in a
 * long one. Periods also exist before the anchor.
 */
export function monthlyPeriodAt(anchor: Date, now: Date): Period {
  const monthsApart = (now.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + now.getUTCMonth() - anchor.getUTCMonth()
  // The boundary in the month of `now` either starts the period or ends it.
  const boundary = addMonths(anchor, monthsApart)
  return boundary.getTime() <= now.getTime()
    ? { start: boundary, end: addMonths(anchor, monthsApart + 1) }
    : { start: addMonths(anchor, monthsApart - 1), end: boundary }
}

/** The UTC day that contains `now`. */
export function utcDayAt(now: Date): Period {
  const start = new Date(now)
  start.setUTCHours(0, 0, 0, 0)
  const end = new Date(start)
  end.setUTCDate(end.getUTCDate() + 1)
  return { start, end }
}

/** The start of the UTC month that lies `months` before that of `now`. */
export function startOfMonthBefore(now: Date, months: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))
}

function addMonths(anchor: Date, months: number): Date {
  const result = new Date(anchor)
  // Go to the first of the month: changing the month of a 31st would overflow into the next one.
  result.setUTCDate(1)
  result.setUTCMonth(result.getUTCMonth() + months)
  result.setUTCDate(Math.min(anchor.getUTCDate(), daysInMonth(result.getUTCFullYear(), result.getUTCMonth() + 1)))
  return result
}

/**
 * Parses a timestamp in the format of requests and records: ISO 8601 date, `T`, time and offset (`Z` or `±hh:mm`),
 * years 1 to 9999; seconds are optional. Returns whole milliseconds since 1970, truncated, or null for an invalid one:
 * a day that does not exist, hour 24, no offset.
 */
export function parseTimestamp(text: string): number | null {
  return parseCanonical(text) ?? parseAnyTimestamp(text)
}

/** As `toISOString` writes it, with or without the fraction: several times faster. Null for anything else. */
function parseCanonical(text: string): number | null {
  if (!canonicalPattern.test(text)) return null
  const moment = Date.parse(text)
  // Date.parse accepts days that do not exist, and hour 24. Most days are in every month, which costs nothing to see.
  if (!(moment >= firstMoment)) return null
  const isInEveryMonth = text.slice(8, 10) <= '28' && text.slice(11, 13) <= '23'
  return isInEveryMonth || new Date(moment).toISOString().startsWith(text.slice(0, 19)) ? moment : null
}

const canonicalPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/

function parseAnyTimestamp(text: string): number | null {
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
  // A leap second can only end a UTC day; it is read as the next day's first moment.
  if (second === 60 && !isMidnight(startOfMinute + 60_000)) return null
  const millisecond = second === 60 ? 0 : Number((parts.fraction ?? '').slice(0, 3).padEnd(3, '0'))
  const moment = startOfMinute + second * 1000 + millisecond
  return moment < firstMoment || moment > lastMoment ? null : moment
}

const momentPattern =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[Tt](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?<offset>[Zz]|[+-]\d\d(?::?\d\d)?)$/

// The range that both Date and PostgreSQL write with a four-digit year.
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

/** A number in message format: 25,000. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}
