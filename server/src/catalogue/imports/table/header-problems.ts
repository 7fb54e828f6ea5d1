/** Says why a header cannot be imported, with advice that can be followed as it stands. */
import { nearestTexts } from '../../../foundation/kernel/similarity.ts'
import type { ColumnMap, FieldNames, HeaderColumn } from '../fields/field-names.ts'
import { findField, shapeOf } from '../fields/fields.ts'
import { certaintyOf } from '../fields/meanings.ts'
import { looksLike } from './looks-like.ts'

/** So many columns are described each, and get a hint; the others are counted. */
export const maxDescribed = 50
/** So many choices are written out. */
const maxAdvised = 12

type Rows = readonly (readonly string[])[]

export function listProblems(
  names: FieldNames,
  columns: readonly HeaderColumn[],
  map: ColumnMap,
  rows: Rows,
): string[] {
  return [
    ...listServed(columns),
    ...listUnknown(names, columns, rows),
    ...listRepeated(columns),
    ...listUnusableChoices(names, columns, map),
    ...listMissing(names, columns, rows),
  ]
}

/** Up to three fields whose name, or a synonym of it, is similar to a text. */
export function nearestFields({ fields, synonyms }: FieldNames, text: string): string[] {
  const fieldOf = new Map(Object.entries(synonyms).flatMap(([field, words]) => words.map((word) => [word, field])))
  for (const { name } of fields) fieldOf.set(name, name)
  return [...new Set(nearestTexts([...fieldOf.keys()], text).map((name) => fieldOf.get(name)!))].slice(0, 3)
}

/** The same in brackets; empty for none. */
export function describeNearest(names: FieldNames, text: string): string {
  const nearest = nearestFields(names, text)
  return nearest.length > 0 ? ` (nearest: ${nearest.join(', ')})` : ''
}

/** Advice ignores what it does not know: a field that is only similar would be filled with something else. */
/** A file of `POST /exports` with people lacks what tells them apart, and may hide their last names. */
function listServed(columns: readonly HeaderColumn[]): string[] {
  if (!columns.some(({ header, how }) => header === 'store.id' && how === 'unknown')) return []
  return ['This is a file for customers, of POST /exports: "storedex export contacts" writes what an import takes.']
}

function listUnknown(names: FieldNames, columns: readonly HeaderColumn[], rows: Rows): string[] {
  const { noun } = names
  const unknown = columns.filter(({ how }) => how === 'unknown')
  if (unknown.length === 0) return []
  const described = unknown.slice(0, maxDescribed).map(({ header, nearest }) => {
    const like = nearest.length > 0 ? ` (nearest: ${nearest.join(', ')})` : ''
    return `"${header.slice(0, 100)}"${like}`
  })
  if (unknown.length > maxDescribed) described.push(`and ${unknown.length - maxDescribed} more`)
  const subject = unknown.length === 1 ? 'One column is' : `${unknown.length} columns are`
  const key = guessKey(names, columns, rows)
  const choices = unknown
    .slice(0, maxAdvised)
    .map((column) => mapArgument(column, column === key?.column ? key.field : ''))
  const rest = unknown.length > 1 ? '; --map "*=" ignores all unknown ones' : ''
  return [
    `${subject} no field of a ${noun}: ${described.join(', ')}. Ignore ${unknown.length === 1 ? 'it' : 'them'}, or write a field behind the =: ${choices.join(' ')}${rest}.`,
  ]
}

function listRepeated(columns: readonly HeaderColumn[]): string[] {
  return [...groupByField(columns)].flatMap(([field, group]) => {
    if (group.length < 2) return []
    const listed = group.slice(0, maxDescribed).map((column) => {
      const name = column.header === '' ? '' : `"${column.header.slice(0, 60)}" `
      return `${name}(column ${columns.indexOf(column) + 1})`
    })
    const [best, ...others] = group.toSorted((a, b) => rankOf(b) - rankOf(a))
    const advice = others.slice(0, maxDescribed).map((column) => mapArgument(column, ''))
    return `The header has "${field}" ${group.length === 2 ? 'twice' : `${group.length} times`}: ${listed.join(' and ')}. Ignore all but one: ${advice.join(' ')} keeps column ${columns.indexOf(best!) + 1}.`
  })
}

/** How surely a column means its field, the choice of a person first. */
export function rankOf({ how, header, field }: HeaderColumn): number {
  return how === 'map' ? 3 : certaintyOf(header, field!)
}

/** The columns of each field. */
export function groupByField(columns: readonly HeaderColumn[]): Map<string, HeaderColumn[]> {
  const groups = new Map<string, HeaderColumn[]>()
  for (const column of columns)
    if (column.field !== null) groups.set(column.field, [...(groups.get(column.field) ?? []), column])
  return groups
}

function listUnusableChoices(names: FieldNames, columns: readonly HeaderColumn[], map: ColumnMap): string[] {
  let described = 0
  const isThere = (column: string) => {
    const key = keyOf(column)
    return columns.some(({ header, reference }) => keyOf(header) === key || keyOf(reference) === key)
  }
  const last = columns.length
  return Object.entries(map).flatMap(([column, field]) => {
    if (column === '*') return field === '' ? [] : ['--map "*=" can only ignore columns.']
    const position = /^#(\d{1,9})$/.exec(column.trim())?.[1]
    if (position === undefined && !isThere(column))
      return `--map names the column "${column}", which the file does not have.`
    if (position !== undefined && (Number(position) < 1 || Number(position) > last))
      return `--map names column ${position}; the file has ${last}.`
    if (field === '' || findField(names.schema, field)) return []
    const nearest = described++ < maxDescribed ? describeNearest(names, field) : ''
    return `--map names the field "${field}", which a ${names.noun} does not have${nearest}.`
  })
}

function keyOf(header: string): string {
  return header.trim().replace(/\s+/g, ' ').toLowerCase()
}

function listMissing(names: FieldNames, columns: readonly HeaderColumn[], rows: Rows): string[] {
  const { noun, schema } = names
  const missing = (shapeOf(schema).required ?? []).filter((name) => !columns.some(({ field }) => field === name))
  const key = guessKey(names, columns, rows)
  return missing.map((name) => {
    const example = key?.field === name ? mapArgument(key.column, name) : `--map "COLUMN=${name}"`
    return `The header lacks "${name}", without which no ${noun} is known. Its columns are ${columns.map(({ header, reference }) => `"${(header || reference).slice(0, 60)}"`).join(', ')}; name it with ${example}.`
  })
}

/** The column that has the records' hosts, if the header does not name one and a single one has. */
function guessKey(
  { schema }: FieldNames,
  columns: readonly HeaderColumn[],
  rows: Rows,
): { column: HeaderColumn; field: string } | null {
  const [field] = shapeOf(schema).required ?? []
  if (field === undefined || columns.some((column) => column.field === field)) return null
  const hosts = columns.filter(({ how }, index) => how === 'unknown' && looksLike(rows, index) === 'host')
  return hosts.length === 1 ? { column: hosts[0]!, field } : null
}

function mapArgument({ reference }: HeaderColumn, field: string): string {
  return `--map ${quoteArgument(`${reference}=${field}`)}`
}

/** As a shell reads it. */
export function quoteArgument(text: string): string {
  return `"${text.replace(/["\\$`]/g, '\\$&')}"`
}
