import type { TaxonomyItem } from './filters/taxonomy.ts'

// All in the reader's locale, which is the browser's.
const numberFormats = new Map<string, Intl.NumberFormat>()

export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  const key = JSON.stringify(options)
  let format = numberFormats.get(key)
  if (!format) {
    format = new Intl.NumberFormat(undefined, options)
    numberFormats.set(key, format)
  }
  return format.format(value)
}

/** `1 credit`, `7 credits`. */
export function formatCount(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`
}

const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

export function formatTime(time: string): string {
  return exactFormat.format(new Date(time))
}

export function formatDay(time: string): string {
  return dayFormat.format(new Date(time))
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** `3 hours ago`, `in 2 days`, `now`. */
export function formatRelative(time: string, nowMs: number): string {
  const seconds = (Date.parse(time) - nowMs) / 1_000
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  if (unit === 'second') return 'now'
  return relativeFormat.format(Math.trunc(seconds / size), unit)
}

export function formatPeople(count: number): string {
  return formatCount(count, 'person', 'people')
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** `3.4 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const unit = byteUnits[power]!
  // The short form of bytes has no plural.
  const unitDisplay = power === 0 ? 'long' : 'short'
  return formatNumber(bytes / 1_000 ** power, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 })
}

/** A tier in short form, such as `10K–50K` or `$1M–$10M`, for a table; its label is the long form. */
export function formatTier({ label, min, max }: TaxonomyItem, currency?: 'USD'): string {
  const short = (value: number) =>
    formatNumber(value, {
      notation: 'compact',
      maximumFractionDigits: 1,
      ...(currency && { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }),
    })
  if (min == null) return label
  if (max == null) return `> ${short(min)}`
  return min === 0 ? `< ${short(max)}` : `${short(min)}–${short(max)}`
}

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
