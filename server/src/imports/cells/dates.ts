import { parseTimestamp } from '../../kernel/time.ts'
import { CellFault } from './cell-fault.ts'

/** The order of day and month in dates such as 03/04/2021. */
export type DateOrder = 'dmy' | 'mdy'

export interface CellMoment {
  /** ISO 8601 with time and offset. */
  text: string
  /** Set if the cell has no day. */
  resolution: 'month' | 'year' | null
}

const isoDay = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/
const isoMonth = /^(\d{4})[-/](\d{1,2})$/
const year = /^(?:19|20|21)\d{2}$/
const namedMonth =
  /^(?:(\d{1,2})(?:st|nd|rd|th)?[\s-]+)?([a-z]{3,9})\.?(?:\s+(\d{1,2})(?:st|nd|rd|th)?)?,?[\s-]+(\d{4})$/i
const numeric = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/
const serial = /^\d{5}(?:[.,]\d+)?$/
/** A time after the date; without an offset it is UTC. */
const time = /^(.*\d)[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i

const months = 'january february march april may june july august september october november december'.split(' ')

/**
 * Reads a date as people write it: a plain date is its first moment in UTC, a year or a month is its first moment with
 * that resolution. Dates whose order of day and month must be told are read with `order` only.
 */
export function readDate(cell: string, order: DateOrder | undefined): CellMoment {
  if (parseTimestamp(cell) !== null) return { text: cell, resolution: null }
  const [, date = cell, hour, minute, second, fraction, zone] = time.exec(cell) ?? []
  const day = readDay(date.trim(), order)
  if (hour === undefined) return { text: `${day.text}T00:00:00Z`, resolution: day.resolution }
  const offset = !zone || /^(?:Z|UTC|GMT)$/i.test(zone) ? 'Z' : zone
  const clock = `${hour.padStart(2, '0')}:${minute}:${second ?? '00'}${fraction ? `.${fraction}` : ''}`
  return validMoment(`${day.text}T${clock}${offset}`, null)
}

function readDay(date: string, order: DateOrder | undefined): CellMoment {
  const iso = isoDay.exec(date)
  if (iso) return validDay(iso[1]!, iso[2]!, iso[3]!)
  if (year.test(date)) return { ...validDay(date, '1', '1'), resolution: 'year' }
  const month = isoMonth.exec(date)
  if (month) return { ...validDay(month[1]!, month[2]!, '1'), resolution: 'month' }
  const named = namedMonth.exec(date)
  if (named) return readNamedMonth(named)
  const [, first, , second, numericYear] = numeric.exec(date) ?? []
  if (first && second && numericYear) {
    if (!order) throw new CellFault('does not tell day and month apart', 'give --dates dmy or --dates mdy')
    return order === 'dmy' ? validDay(numericYear, second, first) : validDay(numericYear, first, second)
  }
  if (serial.test(date))
    throw new CellFault('is the number that a spreadsheet stores for a date', 'format the column as YYYY-MM-DD')
  throw notADate()
}

function readNamedMonth([, before, name, after, inYear]: RegExpExecArray): CellMoment {
  const month = months.findIndex((each) => each === name!.toLowerCase() || each.slice(0, 3) === name!.toLowerCase())
  if (month === -1 || (before && after)) throw notADate()
  const day = before ?? after
  const moment = validDay(inYear!, String(month + 1), day ?? '1')
  return day === undefined ? { ...moment, resolution: 'month' } : moment
}

/** The day as YYYY-MM-DD. */
function validDay(inYear: string, month: string, day: string): CellMoment {
  const text = `${inYear}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  validMoment(`${text}T00:00:00Z`, null)
  return { text, resolution: null }
}

function validMoment(text: string, resolution: CellMoment['resolution']): CellMoment {
  if (parseTimestamp(text) === null) throw new CellFault('is a date that does not exist')
  return { text, resolution }
}

function notADate(): CellFault {
  return new CellFault('is not a date', 'write YYYY-MM-DD, or a date and time with offset (2026-11-01T00:00:00Z)')
}
