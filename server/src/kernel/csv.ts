/** Writes CSV as RFC 4180 describes it, for programs and for spreadsheets. */

/** A value of a row: text of unknown origin, a number, or nothing. */
export type CsvValue = string | number | null

/**
 * One field. Text that a spreadsheet would run as a formula gets a leading apostrophe, which spreadsheets do not show.
 * Plain numbers such as `-12.5` and phone numbers such as `+4930123456` are harmless and stay as they are.
 */
export function csvCell(value: CsvValue, delimiter = ','): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (delimiter === ',' && plainText.test(value)) return value
  const text = startsFormula.test(value) && !harmless.test(value) ? `'${value}` : value
  return needsQuotes.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A row with its line end. */
export function formatCsvRow(values: readonly CsvValue[]): string {
  return formatDelimitedRow(values, ',')
}

/** The same with another character between cells. */
export function formatDelimitedRow(values: readonly CsvValue[], delimiter: string): string {
  return `${values.map((value) => csvCell(value, delimiter)).join(delimiter)}\r\n`
}

/** Most cells: one test instead of four. Words and their separators, from a letter or digit to one. */
const plainText = /^[A-Za-z0-9](?:[\w .:|@/-]*\w)?$/
// Full-width forms count: some spreadsheets treat them as their ASCII counterparts. So does a formula after blanks.
const startsFormula = /^[\s\0]*[=+\-@＝＋－＠\t\r\n]/
/** A phone number in E.164, or a number without a plus. */
const harmless = /^(?:\+[1-9]\d{1,14}|-?\d+(?:\.\d+)?)$/
const needsQuotes = /[",\r\n\t]|^\s|\s$/
