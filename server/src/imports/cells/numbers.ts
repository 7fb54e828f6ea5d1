import { CellFault } from './cell-fault.ts'

export type DecimalMark = 'dot' | 'comma'

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const withComma = /^-?(?:0|[1-9]\d*),\d+$/
/** Thousands that only one reading fits: 1,234.5 and 1.234,5. */
const groupedWithDot = /^-?[1-9]\d{0,2}(?:,\d{3})+\.\d+$/
const groupedWithComma = /^-?[1-9]\d{0,2}(?:\.\d{3})+,\d+$/
const severalGroups = /^-?[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})+$/
/** One separator before three digits: 1.234 is either a fraction or a thousand. */
const ambiguous = /^-?[1-9]\d{0,2}[.,]\d{3}$/

/** Reads a number as people write it. A spelling that could mean two numbers is at fault. */
export function readNumber(cell: string, decimal: DecimalMark): number {
  const text = cell.replace(/^\+(?=\d)/, '').replace(/^−/, '-')
  if (decimal === 'dot' && jsonNumber.test(text)) return Number(text)
  if (decimal === 'comma' && withComma.test(text)) return Number(text.replace(',', '.'))
  if (decimal === 'comma' && jsonNumber.test(text) && !ambiguous.test(text)) return Number(text)
  if (groupedWithDot.test(text)) return Number(text.replaceAll(',', ''))
  if (severalGroups.test(text)) return Number(text.replace(/[.,]/g, ''))
  if (groupedWithComma.test(text)) return Number(text.replaceAll('.', '').replace(',', '.'))
  if (ambiguous.test(text)) throw new CellFault('could be a fraction or a thousand', 'write it without separators')
  if (withComma.test(text))
    throw new CellFault('has a decimal comma, and this file has decimal dots', 'give --decimal comma')
  throw new CellFault('is not a number')
}

/** Whether a cell shows which decimal mark the file has. */
export function decimalMarkOf(cell: string): DecimalMark | null {
  const text = cell.trim()
  if (withComma.test(text)) return 'comma'
  return jsonNumber.test(text) && text.includes('.') ? 'dot' : null
}
