import type { CellFormat } from './number-formats.ts'

/** The year from whose first day a workbook counts; in 1900 it counts a 29 February, by an old mistake of Excel. */
export type Epoch = 1900 | 1904

const dayMs = 86_400_000
const dayZero: Record<Epoch, number> = { 1900: Date.UTC(1899, 11, 31), 1904: Date.UTC(1904, 0, 1) }
const leapDay = 60
/** The last day that a workbook can show: 31 December 9999. */
const lastDay = 2_958_465

type Shows = (CellFormat & { kind: 'date' })['shows']

/** The date and time of a serial number in ISO 8601, as far as its format shows them; null for one that is none. */
export function formatSerial(serial: number, epoch: Epoch, shows: Shows): string | null {
  const atMs = Math.round(serial * dayMs)
  const days = Math.floor(atMs / dayMs)
  if (!(serial >= 0 && days <= lastDay)) return null
  if (shows === 'time') return timeOf(atMs - days * dayMs)
  const date = dateOf(days, epoch)
  if (shows === 'year') return date.slice(0, 4)
  if (shows === 'month') return date.slice(0, 7)
  return shows === 'day' ? date : `${date}T${timeOf(atMs - days * dayMs)}`
}

function timeOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(11, 23).replace('.000', '')
}

/** The days of a sheet are few: writing a date takes longer than finding it. */
const known: Record<Epoch, Map<number, string>> = { 1900: new Map(), 1904: new Map() }
const mostKnown = 10_000

function dateOf(days: number, epoch: Epoch): string {
  const dates = known[epoch]
  const date = dates.get(days) ?? writeDate(days, epoch)
  if (dates.size < mostKnown) dates.set(days, date)
  return date
}

function writeDate(days: number, epoch: Epoch): string {
  // Excel shows these two although there are no such days.
  if (epoch === 1900 && days === leapDay) return '1900-02-29'
  if (epoch === 1900 && days === 0) return '1900-01-00'
  const passed = epoch === 1900 && days > leapDay ? days - 1 : days
  return new Date(dayZero[epoch] + passed * dayMs).toISOString().slice(0, 10)
}
