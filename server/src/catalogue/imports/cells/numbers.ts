import { CellFault } from './cell-fault.ts'

export type DecimalMark = 'dot' | 'comma'

/** How the numbers of a file are written. */
export interface NumberStyle {
  decimal: DecimalMark
  /** Whether its numbers show it, or the person says it. Otherwise 1.234 could be a fraction or a thousand. */
  isDecimalCertain: boolean
}

/** The bounds of a whole-number field. */
interface WholeBounds {
  minimum?: number
  maximum?: number
}

const whole = /^-?(?:0|[1-9]\d*)$/
const scientific = /^-?(?:0|[1-9]\d*)(?:[.,]\d+)?[eE][+-]?\d+$/
const withDot = /^-?(?:0|[1-9]\d*)\.\d+$/
const withComma = /^-?(?:0|[1-9]\d*),\d+$/
/** Thousands that only one reading fits: 1,234.5 and 1.234,5, 1 234,5 and 1'234.5. */
const groupedWithDot = /^-?[1-9]\d{0,2}(?:,\d{3})+\.\d+$/
const groupedWithComma = /^-?[1-9]\d{0,2}(?:\.\d{3})+,\d+$/
const groupedWithBlank = /^-?[1-9]\d{0,2}(?:(?:[^\S\r\n]|['’])\d{3})+(?:[.,]\d+)?$/
const severalGroups = /^-?[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})+$/
/** One separator before three digits: 1.234 is either a fraction or a thousand. */
const ambiguous = /^-?[1-9]\d{0,2}([.,])\d{3}$/

/** Reads a number as people write it. A spelling that could mean two numbers is at fault. */
export function readNumber(cell: string, style: NumberStyle): number {
  const text = bareNumber(cell)
  if (whole.test(text)) return Number(text)
  const number = readFraction(text, style) ?? Number.NaN
  if (!Number.isFinite(number)) throw new CellFault('is not a number')
  return number
}

/** Reads a count. Even a fraction of zeros is at fault: 1.000 is a thousand to many who write it. */
export function readWholeNumber(cell: string, style: NumberStyle, { minimum, maximum }: WholeBounds): number {
  const number = readNumber(cell, style)
  if (!whole.test(cell) && hasFraction(bareNumber(cell), style))
    throw new CellFault('is no whole number', Number.isInteger(number) ? `write ${number}` : null)
  if (minimum !== undefined && number < minimum) throw new CellFault(`must be at least ${minimum}`)
  if (maximum !== undefined && number > maximum) throw new CellFault(`must be at most ${maximum}`)
  return number
}

/** The decimal mark that a cell shows; null for one that has none, or that could have either. */
export function decimalMarkOf(cell: string): DecimalMark | null {
  const text = bareNumber(cell.trim())
  if (whole.test(text) || ambiguous.test(text)) return null
  const separator = severalGroups.exec(text)?.[1]
  if (separator !== undefined) return separator === '.' ? 'comma' : 'dot'
  const isGrouped = groupedWithBlank.test(text)
  if (withComma.test(text) || groupedWithComma.test(text) || (isGrouped && text.includes(','))) return 'comma'
  return withDot.test(text) || groupedWithDot.test(text) || (isGrouped && text.includes('.')) ? 'dot' : null
}

/** How many of the cells in some columns show a decimal comma, and how many a dot. */
export function countDecimalMarks(
  rows: readonly (readonly string[])[],
  columns: readonly number[],
): { commas: number; dots: number } {
  let [commas, dots] = [0, 0]
  for (const cells of rows) {
    for (const column of columns) {
      const mark = decimalMarkOf(cells[column] ?? '')
      if (mark === 'comma') commas++
      else if (mark === 'dot') dots++
    }
  }
  return { commas, dots }
}

function bareNumber(cell: string): string {
  return cell.replace(/^\+(?=\d)/, '').replace(/^−/, '-')
}

/** Undefined for what is no number. */
function readFraction(text: string, style: NumberStyle): number | undefined {
  const single = ambiguous.exec(text)?.[1]
  if (single !== undefined) return Number(text.replace(single, isDecimal(single, style) ? '.' : ''))
  if (withDot.test(text)) return Number(text)
  if (withComma.test(text)) {
    if (style.decimal === 'comma') return Number(text.replace(',', '.'))
    throw new CellFault('has a decimal comma, and this file has decimal dots', 'give --decimal comma')
  }
  if (groupedWithDot.test(text)) return Number(text.replaceAll(',', ''))
  if (groupedWithComma.test(text)) return Number(text.replaceAll('.', '').replace(',', '.'))
  if (severalGroups.test(text)) return Number(text.replace(/[.,]/g, ''))
  if (groupedWithBlank.test(text)) return Number(text.replace(/[\s'’]/g, '').replace(',', '.'))
  return scientific.test(text) ? Number(text.replace(',', '.')) : undefined
}

/** Whether the separator before three digits is the decimal mark of the file. */
function isDecimal(separator: string, { decimal, isDecimalCertain }: NumberStyle): boolean {
  if (!isDecimalCertain)
    throw new CellFault(
      'could be a fraction or a thousand',
      'write it without separators, or give --decimal dot or --decimal comma',
    )
  return separator === (decimal === 'dot' ? '.' : ',')
}

function hasFraction(text: string, style: NumberStyle): boolean {
  const single = ambiguous.exec(text)?.[1]
  if (single !== undefined) return isDecimal(single, style)
  return scientific.test(text) || (decimalMarkOf(text) !== null && !severalGroups.test(text))
}
