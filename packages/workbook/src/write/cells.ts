/** Cells of a sheet as XML. Text is always inline text, so nothing that it holds can be a formula. */

/** A `Date` is a moment, shown in UTC; `{ day }` is a calendar day, as YYYY-MM-DD. */
export type CellValue = string | number | boolean | Date | { readonly day: string } | null

/** Numbers of the cell formats in the workbook's styles. */
const cellStyles = { header: 1, moment: 2, day: 3 } as const

/** More characters than this in a cell make Excel refuse the file. */
export const maxCellLength = 32_767

/** The cell with a value; nothing for an empty one. */
export function writeCell(reference: string, value: CellValue): string {
  if (value === null || value === '') return ''
  if (typeof value === 'string') return textCell(reference, value)
  if (typeof value === 'number')
    return Number.isFinite(value) ? `<c r="${reference}"><v>${value}</v></c>` : textCell(reference, `${value}`)
  // Excel shows its own booleans in the language of its user; as text they are the same words as in CSV.
  if (typeof value === 'boolean') return textCell(reference, `${value}`)
  const isDay = !(value instanceof Date)
  const serial = serialOf(isDay ? Date.parse(`${value.day}T00:00:00Z`) : value.getTime())
  if (serial === null) return textCell(reference, isDay ? value.day : value.toISOString())
  return `<c r="${reference}" s="${isDay ? cellStyles.day : cellStyles.moment}"><v>${serial}</v></c>`
}

/** Whether a cell cannot hold the whole of a value. */
export function isTooLong(value: CellValue): boolean {
  return typeof value === 'string' && value.length > maxCellLength
}

/** A text cell with the format of the header. */
export function writeHeaderCell(reference: string, text: string): string {
  return `<c r="${reference}" s="${cellStyles.header}" t="inlineStr"><is>${textElement(cutText(text))}</is></c>`
}

function textCell(reference: string, text: string): string {
  return needsCare.test(text) || text.length > maxCellLength
    ? `<c r="${reference}" t="inlineStr"><is>${textElement(cutText(text))}</is></c>`
    : `<c r="${reference}" t="inlineStr"><is><t>${text}</t></is></c>`
}

/** Cut between characters, with a mark that something is missing. */
function cutText(text: string): string {
  if (text.length <= maxCellLength) return text
  return `${text.slice(0, maxCellLength - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Few cells match: one test instead of several replacements. */
const needsCare = /[\p{Cc}\p{Cs}\ufffe\uffff&<>]|_[xX]|^\s|\s$|\s\s/u

function textElement(text: string): string {
  const isKept = /^\s|\s$|\s\s|[\t\n]/.test(text)
  return `<t${isKept ? ' xml:space="preserve"' : ''}>${encodeXmlText(text)}</t>`
}

/** What XML cannot hold, or would read as something else. */
const unwritable = /(?![\t\n])[\p{Cc}\ufffe\uffff]/gu
/** What Excel would read as such a character, also where one follows. */
const likeUnwritable = /_(?=x[0-9a-f]{4}[_\p{Cc}\ufffe\uffff])/giu

/** Excel's notation for what XML cannot hold is `_xHHHH_`; a text that looks like it is escaped by its underscore. */
export function encodeXmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(likeUnwritable, '_x005F_')
    .replace(unwritable, escapeCharacter)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

function escapeCharacter(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
}

const dayMs = 86_400_000
/** 1970-01-01. */
const firstUnixDay = 25_569
/** 1900-03-01: programs disagree about the days before, because Excel's 1900 is a leap year. */
const firstSerial = 61
/** 10000-01-01. */
const endOfSerials = 2_958_466

/** The number by which a workbook holds a time; null outside of what every program reads alike. */
function serialOf(timeMs: number): number | null {
  const serial = firstUnixDay + timeMs / dayMs
  return serial >= firstSerial && serial < endOfSerials ? serial : null
}
