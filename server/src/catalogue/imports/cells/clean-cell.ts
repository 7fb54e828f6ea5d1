/** Cleans the cells of a spreadsheet: what a person reads as the value becomes the value, and nothing is guessed. */

import { unwrapEmail } from '../../../foundation/kernel/channels/email.ts'
import { holdsFormula, withoutInnerGuards } from '../../../foundation/kernel/csv.ts'
import { trimMatching } from '../../../foundation/kernel/text/trim.ts'
import type { CellKind } from '../fields/fields.ts'
import { CellFault } from './cell-fault.ts'
import type { DateOrder } from './dates.ts'
import type { NumberStyle } from './numbers.ts'
import { isCountryless, readPhone } from './phones.ts'
import type { TaxonomyResolver } from './taxonomy-resolver.ts'

export interface CellOptions {
  numbers: NumberStyle
  dates: DateOrder | undefined
  resolver: Pick<TaxonomyResolver, 'understand'>
}

/** Words for an empty cell. The exact word `null` clears a field instead, and is not read as one of them. */
const emptyWords = /^(?:n\/a|n\.a\.|[([<]?null[)\]>]?|nil|none|-{1,3}|–|—|#n\/a|#null!)$/i

/** Returns the text of a cell without surrounding space and inner line breaks; empty for a word that means nothing. */
export function trimCell(cell: string): string {
  if (plainCell.test(cell)) return cell
  // The marks by which spreadsheets keep text as text.
  const text = withoutInnerGuards(trimMatching(cell, outerSpace).replace(/^'(?="*[=+\-@＝＋－＠])/, '')).replace(
    /\s+/g,
    (space) => (/[\r\n\t]/.test(space) ? ' ' : space),
  )
  return text !== 'null' && emptyWords.test(text) ? '' : text
}

const outerSpace = /[\s\u200b\u2060\ufeff]/

/** Most cells: letters and digits with single blanks, no word for nothing. */
const plainCell = /^(?!n(?:ull|one|il|\.a\.)$)[\w.@+]+$/i

const trueWords = new Set('true t yes y 1 on x wahr ja vrai oui verdadero si sí vero sì verdadeiro sim waar'.split(' '))
const falseWords = new Set('false f no n 0 off falsch nein faux non falso nao não onwaar nee'.split(' '))

export function readBoolean(text: string): boolean {
  const word = text.toLowerCase()
  if (trueWords.has(word)) return true
  if (falseWords.has(word)) return false
  throw new CellFault('is neither yes nor no', 'write true or false')
}

/** The value of a closed list, in any case and with blanks or hyphens for underscores, or by another word for it. */
export function readChoice(
  text: string,
  values: readonly string[],
  words: Readonly<Record<string, string>> = {},
): string {
  const wanted = text.toLowerCase().replace(/[\s-]+/g, '_')
  const value = values.find((value) => value === wanted) ?? (Object.hasOwn(words, wanted) ? words[wanted] : undefined)
  if (value === undefined) throw new CellFault('is not one of the values', `use one of ${values.join(', ')}`)
  return value
}

/** Reads text of a kind. Values that the check of the record refuses are left as they are. */
export function readCellText(text: string, kind: CellKind | undefined, options: CellOptions): string {
  switch (kind) {
    case undefined:
    case 'host':
    case 'moment':
      return text
    case 'name':
      return readName(text)
    case 'email':
      return unwrapEmail(text)
    case 'phone':
      // One without country code waits for the country of its store.
      return isCountryless(text) || text.includes('\n') ? readPhone(text, null) : text
    default:
      return options.resolver.understand(kind, text) ?? text
  }
}

const spreadsheetError = /^#(?:REF!|NAME\?|VALUE!|DIV\/0!|NUM!|SPILL!|CALC!|GETTING_DATA)$/i
const markup = /<\/?[a-z!][^<>]*>|&(?:[a-z]{2,8}|#\d{1,6}|#x[\da-f]{1,5});/i

function readName(text: string): string {
  if (holdsFormula(text)) throw new CellFault('is a formula')
  if (spreadsheetError.test(text)) throw new CellFault("is a spreadsheet's error")
  if (markup.test(text)) throw new CellFault('contains markup', 'write it as plain text')
  return text
}

/** Splits a cell of several values: at `|`, or else at line breaks, `;` or `,` as people separate them. */
export function splitCell(cell: string): string[] {
  return cell
    .split(separatorOf(cell))
    .map(trimCell)
    .filter((item) => item !== '')
}

/** A comma or a semicolon at the end of a line separates nothing more than the line break does. */
function separatorOf(cell: string): string | RegExp {
  if (cell.includes('|')) return '|'
  const lines = cell.split(/[\r\n]+/).map((line) => line.trim())
  if (lines.length === 1) return cell.includes(';') ? ';' : ','
  if (cell.includes(';')) return /[;\r\n]/
  const isListed = lines.every((line, index) => line === '' || line.endsWith(',') || index === lines.length - 1)
  return isListed ? /[,\r\n]/ : /[\r\n]/
}
