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
