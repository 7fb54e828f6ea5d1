/** Writes CSV as RFC 4180 describes it, for programs and for spreadsheets. */

/** A value of a row: text of unknown origin, a number, or nothing. */
export type CsvValue = string | number | null

/**
 * One field. Text that a spreadsheet would run as a formula gets a leading apostrophe, which spreadsheets do not show.
 * Spreadsheets of most of Europe split at semicolons, whatever the file's delimiter is, and quotes within such a part
 * do not protect it: so what follows a delimiter of any spreadsheet within the text is guarded, too.
 * Plain numbers such as `-12.5` and phone numbers such as `+4930123456` are harmless and stay as they are.
 */
export function csvCell(value: CsvValue, delimiter = ','): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  if (delimiter === ',' && plainText.test(value)) return value
  return quoteCell(guardText(value), delimiter)
}

/** The text of a cell with its guards, before it is quoted. */
export function guardText(text: string): string {
  const inner = text.replace(innerFormula, guardPart)
  return startsFormula.test(text) && !harmless.test(text) ? `'${inner}` : inner
}

/** One field as it is, for programs that would keep an apostrophe as part of the value. Not for files that spreadsheets open. */
export function exactCsvCell(value: CsvValue): string {
  return value === null ? '' : quoteCell(String(value), ',')
}

function quoteCell(text: string, delimiter: string): string {
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

function guardPart(part: string, before: string, rest: string): string {
  return harmless.test(rest.trim()) ? part : `${before}'${rest}`
}

/** Text without the apostrophes by which `csvCell` guards what follows a delimiter. */
export function withoutInnerGuards(text: string): string {
  return text.replace(innerGuard, '$1')
}

/** Whether a spreadsheet that splits a text at any of the usual delimiters could run a part of it. */
export function holdsFormula(text: string): boolean {
  return formula.test(text)
}

/** Most cells: one test instead of five. Words and their separators, from a letter or digit to one. */
const plainText = /^[A-Za-z0-9](?:(?:[\w .:@/-]|\|(?=\w))*\w)?$/
/** A delimiter of any spreadsheet, blanks and quotes, and a part of the text that begins like a formula. */
const innerFormula = /([;,|\t\r\n](?:[^\S\t\r\n]|["\0])*)([=+\-@＝＋－＠][^;,|\t\r\n]*)/g
const innerGuard = /([;,|\t\r\n](?:[^\S\t\r\n]|["\0])*)'(?=[=+\-@＝＋－＠])/g
/** Certain formulas; a name may begin with a dash. */
const formula = /(?:^|[;,|\t\r\n])(?:[^\S\t\r\n]|["'\0])*(?:[=＝]|[+\-@＋－＠][^\S\t\r\n]*[a-z]+[^\S\t\r\n]*\()/i
// Full-width forms count: some spreadsheets treat them as their ASCII counterparts. So does a formula after blanks.
const startsFormula = /^[\s\0"]*[=+\-@＝＋－＠\t\r\n]/
/** A phone number in E.164, or a number without a plus. */
const harmless = /^(?:\+[1-9]\d{1,14}|-?\d+(?:\.\d+)?)$/
const needsQuotes = /[",\r\n\t]|^\s|\s$/
