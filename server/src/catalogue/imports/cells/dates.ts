import { parseTimestamp } from '../../../foundation/kernel/time.ts'
import { CellFault } from './cell-fault.ts'
import { findMonth, keyOfWord } from './months.ts'

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
const numeric = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/
/** As Japanese and Chinese write it: 2021年3月12日. */
const withSigns = /^(\d{4})\s?年(?:\s?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?[日号])?)?$/
const serial = /^\d{5}(?:[.,]\d+)?$/
/** A time after the date; without an offset it is UTC. */
const time =
  /^(.*[\d日号]),?[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s{0,3}(?:([ap])\.?\s?m\.?)?\s{0,3}(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i
/** Words that stand beside a day or a month and say nothing. */
const fillers = new Set(['st', 'nd', 'rd', 'th', 'er', 'e', 'o', 'of', 'de', 'del', 'di', 'den', 'le', 'the', 'r'])

/** Dates outside are placeholders, or the zero of a program. */
const years = { first: 1900, last: 2100 }
/** No date is longer. */
const maxLength = 100

/**
 * Reads a date as people write it: a plain date is its first moment in UTC, a year or a month is its first moment with
 * that resolution. Dates whose order of day and month must be told are read with `order` only.
 */
export function readDate(cell: string, order: DateOrder | undefined): CellMoment {
  if (parseTimestamp(cell) !== null) return validMoment(cell, null)
  if (cell.length > maxLength) throw notADate()
  const text = cell.normalize('NFKC')
  const [, date = text, hour, minute, second, fraction, half, zone] = time.exec(text) ?? []
  const day = readDay(date.trim(), order)
  if (hour === undefined) return { text: `${day.text}T00:00:00Z`, resolution: day.resolution }
  const offset = !zone || /^(?:Z|UTC|GMT)$/i.test(zone) ? 'Z' : zone
  const clock = `${hourOf(hour, half)}:${minute}:${second ?? '00'}${fraction ? `.${fraction}` : ''}`
  return validMoment(`${day.text}T${clock}${offset}`, null)
}

/** The hour of a clock with 24 hours; `half` is the a of 12:30 a.m. */
function hourOf(hour: string, half: string | undefined): string {
  if (half === undefined) return hour.padStart(2, '0')
  const number = Number(hour)
  if (number < 1 || number > 12) throw notADate()
  return String((number % 12) + (half.toLowerCase() === 'p' ? 12 : 0)).padStart(2, '0')
}

function readDay(date: string, order: DateOrder | undefined): CellMoment {
  const iso = isoDay.exec(date)
  if (iso) return validDay(iso[1]!, iso[2]!, iso[3]!)
  if (year.test(date)) return { ...validDay(date, '1', '1'), resolution: 'year' }
  const month = isoMonth.exec(date)
  if (month) return inMonth(month[1]!, month[2]!, undefined)
  const [, signedYear, signedMonth, signedDay] = withSigns.exec(date) ?? []
  if (signedYear) return signedMonth ? inMonth(signedYear, signedMonth, signedDay) : readDay(signedYear, order)
  const [, first, , second, numericYear] = numeric.exec(date) ?? []
  if (first && second && numericYear) {
    if (!order) throw new CellFault('does not tell day and month apart', 'give --dates dmy or --dates mdy')
    return order === 'dmy' ? validDay(numericYear, second, first) : validDay(numericYear, first, second)
  }
  if (serial.test(date))
    throw new CellFault('is the number that a spreadsheet stores for a date', 'format the column as YYYY-MM-DD')
  return readNamedMonth(date)
}

/** `12 Mar 2021`, `March 12, 2021`, `1º de marzo de 2021`, `März 2021`: a month by its name, a year, and perhaps a day. */
function readNamedMonth(date: string): CellMoment {
  const words = (date.match(/\d+|[\p{L}\p{M}]+|[^\d\p{L}\p{M}\s.,/-]/gu) ?? []).filter(
    (word) => !fillers.has(keyOfWord(word)),
  )
  const [inYear, ...otherYears] = words.filter((word) => /^\d{4}$/.test(word))
  const [day, ...otherDays] = words.filter((word) => /^\d{1,2}$/.test(word))
  const [name, ...otherNames] = words.filter((word) => !/^\d{1,4}$/.test(word))
  const month = name === undefined ? undefined : findMonth(name)
  const isAlone = otherYears.length + otherDays.length + otherNames.length === 0
  if (inYear === undefined || month === undefined || !isAlone || words.length > 3) throw notADate()
  return inMonth(inYear, String(month), day)
}

function inMonth(inYear: string, month: string, day: string | undefined): CellMoment {
  const moment = validDay(inYear, month, day ?? '1')
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
  const inYear = Number(text.slice(0, 4))
  if (inYear < years.first || inYear > years.last)
    throw new CellFault(
      `is not between ${years.first} and ${years.last}`,
      'leave the cell empty if the date is unknown',
    )
  return { text, resolution }
}

function notADate(): CellFault {
  return new CellFault('is not a date', 'write YYYY-MM-DD, or a date and time with offset (2026-11-01T00:00:00Z)')
}
