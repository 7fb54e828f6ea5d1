/** Looks for a header that is not in the first line. It is only told: a person decides. */

import type { FieldNames } from '../fields/field-names.ts'
import { shapeOf } from '../fields/fields.ts'
import { fieldsOfHeader } from './header.ts'
import { looksLike } from './looks-like.ts'
import type { TableRow } from './rows.ts'

/** The value of `--no-header` for a file without a header; null if the first row is a header. */
export function guessNoHeader(names: FieldNames, rows: readonly (readonly string[])[]): string | null {
  const [first] = rows
  const [key] = shapeOf(names.schema).required ?? []
  if (!first || key === undefined) return null
  const email = names.fields.find(({ name }) => name.endsWith('emails.0.email'))?.name
  const taken = new Set<string>()
  const fields = first.map((_, column) => {
    const isOneKind = looksLike([first], column) === looksLike(rows, column) ? looksLike([first], column) : null
    const field = isOneKind === 'host' ? key : isOneKind === 'email' ? email : undefined
    if (field === undefined || taken.has(field)) return ''
    taken.add(field)
    return field
  })
  return taken.has(key) ? fields.join(',') : null
}

/** The first of the lines of a file's beginning that has the key and other fields as headings; null for none. */
export function findHeaderLine(names: FieldNames, lines: readonly TableRow[]): number | null {
  const [key] = shapeOf(names.schema).required ?? []
  for (const row of lines) {
    if (row.problem !== undefined) continue
    const fields = fieldsOfHeader(names, row.cells, {})
    const filled = row.cells.filter((cell) => cell.trim() !== '').length
    if (fields.includes(key ?? '') && (fields.length > 1 || filled === 1)) return row.line
  }
  return null
}
