/**
 * Cells that say a value exactly, beside all that cleaning would do: `json:"None"` is the text None, `json:["a|b"]` a list of one. An export
 * of the catalogue writes so what an import would read as something else.
 */
import { parseStrictJson } from '../../../foundation/kernel/json.ts'
import { CellFault } from './cell-fault.ts'

const mark = 'json:'
const begins = /^json:["[\d-]/

/** Whether a cell says its value exactly; text such as `json: an introduction` is text. */
export function isExactCell(cell: string): boolean {
  return cell.startsWith(mark) && begins.test(cell)
}

/** The value of such a cell. Throws `CellFault`. */
export function readExactCell(cell: string): unknown {
  const parsed = parseStrictJson(Buffer.from(cell.slice(mark.length)))
  if (!parsed.ok) throw new CellFault('is not JSON behind json:', 'write the value alone')
  return parsed.value
}

/** Writes a cell that says its value exactly. No spreadsheet runs a part of it, at whichever delimiter it splits. */
export function exactCell(value: string | number | readonly string[]): string {
  if (typeof value === 'number') return `${mark}${value}`
  return `${mark}${typeof value === 'string' ? quoteText(value) : `[${value.map(quoteText).join()}]`}`
}

const risky = /[;,|=+\-@＝＋－＠\p{Cc}]/gu

function quoteText(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replace(risky, escapeRisky)}"`
}

function escapeRisky(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
