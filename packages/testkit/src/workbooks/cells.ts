/** The cells of a test workbook, and how each stands in the XML of its sheet. */

/** A text, or its runs with formats of their own. `phonetic` says how it is spoken, and is no part of the text. */
export type TestText = string | { runs: readonly string[]; phonetic?: string }

/** A built-in number format by its id, such as 14 for a date, or the code of one, such as `00000`. */
export type NumberFormat = number | string

/** A plain value is written as Excel would: texts shared, numbers as numbers. */
export type TestCell = string | number | boolean | null | DetailedCell

interface DetailedCell {
  type: 'shared' | 'inline' | 'number' | 'date' | 'error' | 'formula' | 'raw'
  /** The content of `<v>`, the text, or the XML of the whole cell. */
  content: TestText
  format?: NumberFormat
  formula?: string
  /** The attribute `t`, where the type does not settle it. */
  t?: string
  /** Another reference than the one of its place; null for none. */
  ref?: string | null
}

type Options = Pick<DetailedCell, 'format' | 'ref'>

export const bookCell = {
  shared: (content: TestText, options: Options = {}): TestCell => ({ ...options, type: 'shared', content }),
  inline: (content: TestText, options: Options = {}): TestCell => ({ ...options, type: 'inline', content }),
  /** As text where the digits matter: `71.299999999999997`. */
  number: (content: number | string, format: NumberFormat = 0, options: Options = {}): TestCell => ({
    ...options,
    type: 'number',
    content: String(content),
    format,
  }),
  /** A day or a moment without a zone, `2024-02-29` or `2024-02-29T13:30:00`, as the serial of the workbook's epoch. */
  date: (content: string, format: NumberFormat = content.length > 10 ? 22 : 14): TestCell => ({
    type: 'date',
    content,
    format,
  }),
  /** A day or moment as strict workbooks may have it, as text with a type of its own. */
  isoDate: (content: string, format: NumberFormat = 14): TestCell => ({ type: 'number', t: 'd', content, format }),
  error: (content: string): TestCell => ({ type: 'error', t: 'e', content }),
  /** With the value stored beside it, or none. */
  formula: (formula: string, stored?: string | number | boolean, format: NumberFormat = 0): TestCell => ({
    type: 'formula',
    formula,
    format,
    content: stored === undefined ? '' : typeof stored === 'boolean' ? String(Number(stored)) : String(stored),
    ...(typeof stored === 'string' ? { t: stored.startsWith('#') ? 'e' : 'str' } : {}),
    ...(typeof stored === 'boolean' ? { t: 'b' } : {}),
  }),
  /** The XML of the whole cell. */
  raw: (xml: string): TestCell => ({ type: 'raw', content: xml }),
}

/** What cells share with the other parts of their workbook. */
export interface CellContext {
  epoch: 1900 | 1904
  plainTexts: 'shared' | 'inline'
  /** Returns the index of the text among the shared ones. */
  share(text: TestText): number
  /** Returns the index of the format among those of cells. */
  styleOf(format: NumberFormat): number
}

/** The XML of a cell. An empty one is left out, unless the place of the next depends on it. */
export function cellXml(cell: TestCell, ref: string | null, context: CellContext): string {
  if (cell === null) return ref === null ? '<c/>' : ''
  if (typeof cell === 'string') return cellXml({ type: context.plainTexts, content: cell }, ref, context)
  if (typeof cell === 'number') return cellXml({ type: 'number', content: String(cell) }, ref, context)
  if (typeof cell === 'boolean') return cellXml({ type: 'number', t: 'b', content: cell ? '1' : '0' }, ref, context)
  if (cell.type === 'raw') return cell.content as string
  const place = cell.ref === undefined ? ref : cell.ref
  const style = cell.format === undefined ? 0 : context.styleOf(cell.format)
  const open = (t: string | undefined) =>
    `<c${place === null ? '' : ` r="${place}"`}${style === 0 ? '' : ` s="${style}"`}${t === undefined ? '' : ` t="${t}"`}>`
  if (cell.type === 'shared') return `${open('s')}<v>${context.share(cell.content)}</v></c>`
  if (cell.type === 'inline') return `${open('inlineStr')}<is>${textXml(cell.content)}</is></c>`
  const content = cell.content as string
  if (cell.type === 'date') return `${open(undefined)}<v>${serialOf(content, context.epoch)}</v></c>`
  const value =
    cell.type === 'formula' && content === ''
      ? ''
      : `<v>${escapeXml(cell.t === 'str' ? escapeCharacters(content) : content)}</v>`
  return `${open(cell.t)}${cell.type === 'formula' ? `<f>${escapeXml(cell.formula!)}</f>` : ''}${value}</c>`
}

/** Days since the epoch. That of 1900 counts a 29 February that was none, so that March begins with 61. */
function serialOf(moment: string, epoch: 1900 | 1904): number {
  const iso = moment.length > 10 ? moment : `${moment}T00:00:00`
  const days = (Date.parse(`${iso}Z`) - Date.UTC(1899, 11, 30)) / 86_400_000
  if (epoch === 1904) return days - 1_462
  return days < 61 ? days - 1 : days
}

/** What stands in `<si>` or `<is>`. */
export function textXml(text: TestText): string {
  if (typeof text === 'string') return tXml(text)
  const runs = text.runs.map((run) => `<r><rPr><b/></rPr>${tXml(run)}</r>`).join('')
  const phonetic =
    text.phonetic === undefined ? '' : `<rPh sb="0" eb="1">${tXml(text.phonetic)}</rPh><phoneticPr fontId="0"/>`
  return runs + phonetic
}

function tXml(text: string): string {
  const space = /^\s|\s$|[\n\t]/.test(text) ? ' xml:space="preserve"' : ''
  return `<t${space}>${escapeXml(escapeCharacters(text))}</t>`
}

/** Characters that XML lacks as Excel writes them, `_x000D_`, and what looks like that already as `_x005F_x000D_`. */
function escapeCharacters(text: string): string {
  return text.replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_').replaceAll(/[^\t\n -\ufffd]/g, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
