/** Writes CSV as RFC 4180 describes it, for programs and for spreadsheets. */

/** A value of a row: text of unknown origin, a number, or nothing. */
export type CsvValue = string | number | null

/**
 * One field. Text that a spreadsheet would run as a formula gets a leading apostrophe, which spreadsheets do not show.
 * Plain numbers such as `+4930123456` or `-12.5` are harmless and stay as they are.
 */
export function csvCell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = startsFormula.test(value) && !plainNumber.test(value) ? `'${value}` : value
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A row with its line end. */
export function formatCsvRow(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

// Full-width forms count: some spreadsheets treat them as their ASCII counterparts. So does a formula after blanks.
const startsFormula = /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/
const plainNumber = /^[+-]?\d+(\.\d+)?$/
const needsQuotes = /[",\r\n\t]|^\s|\s$/
