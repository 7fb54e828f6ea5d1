import type { TObject } from 'typebox'
import { OperatorError } from '../../kernel/errors.ts'
import { nearestTexts } from '../../kernel/similarity.ts'
import { formatNumber } from '../../kernel/time.ts'
import { findField, shapeOf } from '../fields.ts'
import type { ImportField } from '../import-fields.ts'
import type { Synonyms } from './synonyms.ts'

/** What a file's columns may be called: the fields of a record, and what people call them. */
export interface FieldNames {
  /** What a record is, for messages: `store`, `contact`. */
  noun: string
  schema: TObject
  /** All fields, with index 0 for those of lists. */
  fields: readonly ImportField[]
  synonyms: Synonyms
}

/** The choices of the person who imports: column header to field; empty to ignore it. `*` stands for unknown columns. */
export type ColumnMap = Readonly<Record<string, string>>

/** A column of a file and the field it is read as. */
export interface HeaderColumn {
  header: string
  /** Null if it is ignored or unknown. */
  field: string | null
  how: 'name' | 'synonym' | 'map' | 'ignored' | 'unknown'
  /** The most similar fields of an unknown column. */
  nearest: string[]
}

export interface Header {
  columns: HeaderColumn[]
  /** Why the file cannot be imported with these columns; one sentence each. */
  problems: string[]
}

/** Columns that rejects files have besides the imported ones. */
export const rejectColumns = { line: '_line', reasons: '_reasons' } as const

/** Bounds of a header. A file with more is damaged, or meant to do harm. */
const maxColumns = 1_000
const maxHeadingLength = 1_000
/** So many columns are described each, and get a hint; the others are counted. */
const maxDescribed = 50

const ignoredColumns = new Set<string>(Object.values(rejectColumns))

/** Compares headers without regard to case, blanks, underscores and the like. */
function keyOfHeader(header: string): string {
  return header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_\-–./:()?*]/g, '')
}

/** Finds the field of each column: by the choice of the person, by its name, or by what people call it. */
export function readHeader(names: FieldNames, cells: readonly string[], map: ColumnMap): Header {
  const { columns, headers } = findColumns(names, cells, map)
  const unknown = columns.filter(({ how }) => how === 'unknown')
  for (const column of unknown.slice(0, maxDescribed)) column.nearest = nearestFields(names, column.header)
  placeInLists(names, columns)
  return { columns, problems: listProblems(names, columns, headers, map) }
}

/** How many columns of a header are fields. Cells that no header may have count for nothing. */
export function countKnownColumns(names: FieldNames, cells: readonly string[], map: ColumnMap): number {
  const possible = cells.slice(0, maxColumns).filter((cell) => cell.length <= maxHeadingLength)
  return findColumns(names, possible, map).columns.filter(({ how }) => how !== 'unknown' && how !== 'ignored').length
}

/** Why cells cannot be a header; null if they can. To be asked before anything else is done with them. */
export function describeUnreadableHeader(cells: readonly string[]): string | null {
  if (cells.length > maxColumns)
    return `the header has ${formatNumber(cells.length)} columns; a file may have ${formatNumber(maxColumns)}. Remove the empty ones.`
  const long = cells.findIndex((cell) => cell.length > maxHeadingLength)
  if (long === -1) return null
  return `heading ${formatNumber(long + 1)} has ${formatNumber(cells[long]!.length)} characters; it may have ${formatNumber(maxHeadingLength)}.`
}

function findColumns(
  names: FieldNames,
  cells: readonly string[],
  map: ColumnMap,
): { columns: HeaderColumn[]; headers: string[] } {
  const headers = cells.map((cell) => cell.trim().replace(/\s+/g, ' '))
  const chosen = new Map(Object.entries(map).map(([column, field]) => [keyOfColumn(column), field]))
  const finder = new FieldFinder(names, headers)
  const columns = headers.map((header): HeaderColumn => {
    const choice = chosen.get(keyOfColumn(header))
    if (choice !== undefined) return { header, field: choice || null, how: choice ? 'map' : 'ignored', nearest: [] }
    if (header === '' || ignoredColumns.has(header)) return { header, field: null, how: 'ignored', nearest: [] }
    const found = finder.find(header)
    if (found) return { header, ...found, nearest: [] }
    return { header, field: null, how: map['*'] === '' ? 'ignored' : 'unknown', nearest: [] }
  })
  return { columns, headers }
}

/** Header and choice are compared exactly but for blanks and case, so that two similar columns can be told apart. */
function keyOfColumn(header: string): string {
  return header.trim().replace(/\s+/g, ' ').toLowerCase()
}

/** Up to three fields whose name, or a synonym of it, is similar to a text. */
function nearestFields({ fields, synonyms }: FieldNames, text: string): string[] {
  const fieldOf = new Map(Object.entries(synonyms).flatMap(([field, words]) => words.map((word) => [word, field])))
  for (const { name } of fields) fieldOf.set(name, name)
  return [...new Set(nearestTexts([...fieldOf.keys()], text).map((name) => fieldOf.get(name)!))].slice(0, 3)
}

class FieldFinder {
  readonly #names: FieldNames
  readonly #byKey = new Map<string, Pick<HeaderColumn, 'field' | 'how'>>()
  readonly #headers: ReadonlySet<string>

  constructor(names: FieldNames, headers: readonly string[]) {
    this.#names = names
    this.#headers = new Set(headers)
    for (const [field, synonyms] of Object.entries(names.synonyms))
      for (const synonym of synonyms) this.#byKey.set(keyOfHeader(synonym), { field, how: 'synonym' })
    // A field's own name wins over a synonym of another one.
    for (const { name } of names.fields) this.#byKey.set(keyOfHeader(name), { field: name, how: 'name' })
  }

  find(header: string): Pick<HeaderColumn, 'field' | 'how'> | undefined {
    if (findField(this.#names.schema, header)) return { field: header, how: 'name' }
    const found = this.#byKey.get(keyOfHeader(header)) ?? this.#findNumbered(header)
    // A guess does not compete with a column that has the very name.
    return found?.field && this.#headers.has(found.field) && !isListField(found.field) ? undefined : found
  }

  /** `Emails.1.Email` and `Email 2` are the second item of the list. */
  #findNumbered(header: string): Pick<HeaderColumn, 'field' | 'how'> | undefined {
    const inside = /(?<=\D)\d{1,2}(?=\D)/.exec(header)
    const item = inside ? this.#byKey.get(keyOfHeader(withFirstIndex(header, inside)))?.field : undefined
    const named = item && isListField(item) ? item.replace('.0.', `.${Number(inside)}.`) : undefined
    if (named && findField(this.#names.schema, named)) return { field: named, how: 'name' }

    const [number] = /\d{1,2}$/.exec(header) ?? []
    const word = number === undefined ? '' : header.slice(0, -number.length)
    const first = word === '' ? undefined : this.#byKey.get(keyOfHeader(word.replaceAll('#', '')))?.field
    if (!first || !isListField(first) || Number(number) < 1) return undefined
    const field = first.replace('.0.', `.${Number(number) - 1}.`)
    return findField(this.#names.schema, field) ? { field, how: 'synonym' } : undefined
  }
}

/** A header with 0 in place of a number in it. */
function withFirstIndex(header: string, { 0: number, index }: RegExpExecArray): string {
  return `${header.slice(0, index)}0${header.slice(index + number.length)}`
}

function isListField(field: string): boolean {
  return /\.\d+\./.test(field)
}

/** Several columns that mean the first item of a list become its items, in the order of the columns. */
function placeInLists({ schema }: FieldNames, columns: HeaderColumn[]): void {
  const taken = new Set(columns.filter(({ how }) => how === 'name' || how === 'map').map(({ field }) => field))
  for (const column of columns) {
    if (column.how !== 'synonym' || column.field === null) continue
    let field = column.field
    for (let next = 1; taken.has(field) && isListField(field) && findField(schema, field); next++)
      field = column.field.replace(/\.\d+\./, `.${next}.`)
    column.field = findField(schema, field) ? field : column.field
    taken.add(column.field)
  }
}

function listProblems(names: FieldNames, columns: HeaderColumn[], headers: string[], map: ColumnMap): string[] {
  return [
    ...listUnknown(names, columns),
    ...listRepeated(columns),
    ...listUnusableChoices(names, headers, map),
    ...listMissing(names, columns),
  ]
}

function listUnknown({ noun }: FieldNames, columns: HeaderColumn[]): string[] {
  const unknown = columns.filter(({ how }) => how === 'unknown')
  if (unknown.length === 0) return []
  const described = unknown.slice(0, maxDescribed).map(({ header, nearest }) => {
    const like = nearest.length > 0 ? ` (nearest: ${nearest.join(', ')})` : ''
    return `"${header.slice(0, 100)}"${like}`
  })
  if (unknown.length > maxDescribed) described.push(`and ${unknown.length - maxDescribed} more`)
  const example = unknown[0]!
  const subject = unknown.length === 1 ? 'One column is' : `${unknown.length} columns are`
  return [
    `${subject} no field of a ${noun}: ${described.join(', ')}. Name the field with --map ${quoteArgument(
      `${example.header}=${example.nearest[0] ?? 'FIELD'}`,
    )}, or ignore the column with --map ${quoteArgument(`${example.header}=`)}; --map "*=" ignores all unknown columns.`,
  ]
}

function listRepeated(columns: HeaderColumn[]): string[] {
  const byField = new Map<string, string[]>()
  for (const { field, header } of columns)
    if (field !== null) byField.set(field, [...(byField.get(field) ?? []), header])
  return [...byField].flatMap(([field, headers]) => {
    if (headers.length < 2) return []
    const listed = headers
      .slice(0, maxDescribed)
      .map((header) => `"${header}"`)
      .join(' and ')
    return `The header has "${field}" ${headers.length === 2 ? 'twice' : `${headers.length} times`}: ${listed}. Ignore all but one with --map ${quoteArgument(`${headers[1]}=`)}.`
  })
}

function listUnusableChoices(names: FieldNames, headers: string[], map: ColumnMap): string[] {
  const known = new Set(headers.map(keyOfColumn))
  let described = 0
  return Object.entries(map).flatMap(([column, field]) => {
    if (column === '*') return field === '' ? [] : ['--map "*=" can only ignore columns.']
    if (!known.has(keyOfColumn(column))) return `--map names the column "${column}", which the file does not have.`
    if (field === '' || findField(names.schema, field)) return []
    const nearest = described++ < maxDescribed ? nearestFields(names, field) : []
    return `--map names the field "${field}", which a ${names.noun} does not have${nearest.length > 0 ? ` (nearest: ${nearest.join(', ')})` : ''}.`
  })
}

function listMissing({ noun, schema }: FieldNames, columns: HeaderColumn[]): string[] {
  const missing = (shapeOf(schema).required ?? []).filter((name) => !columns.some(({ field }) => field === name))
  return missing.map(
    (name) =>
      `The header lacks "${name}", without which no ${noun} is known. Its columns are ${columns.map(({ header }) => `"${header.slice(0, 60)}"`).join(', ')}; name it with --map "COLUMN=${name}".`,
  )
}

/** As a shell reads it. */
function quoteArgument(text: string): string {
  return `"${text.replace(/["\\$`]/g, '\\$&')}"`
}

/** The header of a file that can be imported; throws an `OperatorError` with all that is wrong with it. */
export function requireUsable(sourceName: string, { columns, problems }: Header): HeaderColumn[] {
  if (problems.length > 0) throw new OperatorError(`${sourceName}: ${problems.join(' ')}`)
  return columns
}
