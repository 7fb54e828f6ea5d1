import { type CellFormat, formatDigits } from './number-formats.ts'
import { type Epoch, formatSerial } from './serial-dates.ts'
import { decodeCellText } from './xml.ts'

/** What a cell holds beside its text. */
export const cellKinds = {
  text: 0,
  /** Its text is a decimal number with a point. */
  number: 1,
  /** Its text is a date in ISO 8601, as far as the cell shows it. */
  date: 2,
  /** It is a formula whose value was never stored; its text is the formula. */
  withoutValue: 3,
  /** A number of more digits than a workbook keeps. */
  lostDigits: 4,
} as const

export type ValueKind = (typeof cellKinds)[keyof typeof cellKinds]

/** A workbook keeps so many digits of a number. */
const keptDigits = 15
const leastLosing = 10 ** keptDigits
const shortWhole = /^-?(?:0|[1-9]\d{0,14})$/

/** A number as its cell shows it. */
export function readNumberCell(stored: string, format: CellFormat | undefined, epoch: Epoch): ReadValue {
  const isPlain = format === undefined || format.kind === 'number'
  if (isPlain && stored.length <= keptDigits && shortWhole.test(stored)) return { text: stored, kind: cellKinds.number }
  const number = Number(stored)
  if (stored.trim() === '' || !Number.isFinite(number)) return { text: decodeCellText(stored), kind: cellKinds.text }
  if (!isPlain && format.kind === 'date') {
    const date = formatSerial(number, epoch, format.shows)
    if (date !== null) return { text: date, kind: cellKinds.date }
  }
  if (Math.abs(number) >= leastLosing) return { text: stored, kind: cellKinds.lostDigits }
  if (!isPlain && format.kind === 'percent') return { text: formatDecimal(number * 100), kind: cellKinds.number }
  const text = formatDecimal(number)
  if (!isPlain && format.kind === 'digits' && /^\d+$/.test(text))
    return { text: formatDigits(format, text), kind: cellKinds.text }
  return { text, kind: cellKinds.number }
}

export interface ReadValue {
  text: string
  kind: ValueKind
}

/** A number without an exponent, with the digits that a workbook keeps. */
function formatDecimal(number: number): string {
  const text = String(Number(number.toPrecision(keptDigits)))
  if (!text.includes('e')) return text
  const decimal = Number(text).toFixed(20)
  let end = decimal.length
  while (decimal[end - 1] === '0') end--
  return decimal.slice(0, decimal[end - 1] === '.' ? end - 1 : end)
}
