import { normalizeDomain } from '../../../foundation/kernel/domain.ts'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { formatNumber } from '../../../foundation/kernel/time.ts'
import { type Fault, fault } from '../fields/faults.ts'
import {
  type ColumnMap,
  type FieldNames,
  type HeaderColumn,
  isRejectsHeader,
  rejectColumns,
} from '../fields/field-names.ts'
import { findField, shapeOf } from '../fields/fields.ts'
import { FieldFinder } from './find-fields.ts'
import {
  describeNearest,
  groupByField,
  listProblems,
  maxDescribed,
  nearestFields,
  quoteArgument,
  rankOf,
} from './header-problems.ts'

export interface Header {
  columns: HeaderColumn[]
  /** Why the file cannot be imported with these columns; one sentence each. */
  problems: string[]
  /** Notices on columns that are not read. */
  notices: Fault[]
  /** Columns without a name, in which a value is at fault. */
  nameless: number[]
}

/** Bounds of a header. A file with more is damaged, or meant to do harm. */
export const maxTableColumns = 1_000
const maxHeadingLength = 1_000

/** Finds the field of each column: by the choice of the person, by its name, or by what people call it. */
export function readHeader(
  names: FieldNames,
  cells: readonly string[],
  map: ColumnMap,
  rows: readonly (readonly string[])[] = [],
): Header {
  const columns = findColumns(names, cells, map)
  const notices = settleRepeated(names, columns, rows)
  const { nameless, notices: ofNameless } = judgeNameless(columns, map, rows)
  for (const column of columns.filter(({ how }) => how === 'unknown').slice(0, maxDescribed))
    column.nearest = nearestFields(names, column.header)
  const problems = listProblems(names, columns, map, rows)
  return { columns, problems, notices: [...notices, ...ofNameless], nameless }
}

/** The fields that cells would be the headers of. Cells that no header may have count for nothing. */
export function fieldsOfHeader(names: FieldNames, cells: readonly string[], map: ColumnMap): string[] {
  const possible = cells.slice(0, maxTableColumns).filter((cell) => cell.length <= maxHeadingLength)
  return findColumns(names, possible, map).flatMap(({ field }) => field ?? [])
}

/** Why cells cannot be a header; null if they can. To be asked before anything else is done with them. */
export function describeUnreadableHeader(cells: readonly string[]): string | null {
  if (cells.length > maxTableColumns)
    return `the header has ${formatNumber(cells.length)} columns; a file may have ${formatNumber(maxTableColumns)}. Remove the empty ones.`
  const long = cells.findIndex((cell) => cell.length > maxHeadingLength)
  if (long === -1) return null
  return `heading ${formatNumber(long + 1)} has ${formatNumber(cells[long]!.length)} characters; it may have ${formatNumber(maxHeadingLength)}.`
}

const finders = new WeakMap<FieldNames, FieldFinder>()

function finderOf(names: FieldNames): FieldFinder {
  const finder = finders.get(names) ?? new FieldFinder(names)
  finders.set(names, finder)
  return finder
}

function findColumns(names: FieldNames, cells: readonly string[], map: ColumnMap): HeaderColumn[] {
  const headers = cells.map(cleanHeading)
  const references = referencesOf(headers)
  const served = new Set(headers.includes('object') ? names.served : [])
  const chosen = new Map(Object.entries(map).map(([column, field]) => [keyOfColumn(column), field]))
  const choices = headers.map((header, index) => {
    const choice = chosen.get(references.positions[index]!) ?? chosen.get(keyOfColumn(header))
    if (choice !== undefined) return choice || null
    return isIgnored(header) || served.has(header) ? null : undefined
  })
  const found = finderOf(names).findAll(headers, choices)
  return headers.map((header, index): HeaderColumn => {
    const reference = references.names[index]!
    const choice = choices[index]
    if (choice !== undefined)
      return { header, reference, field: choice, how: choice === null ? 'ignored' : 'map', nearest: [] }
    const field = found[index]
    if (field) return { header, reference, ...field, nearest: [] }
    return { header, reference, field: null, how: map['*'] === '' ? 'ignored' : 'unknown', nearest: [] }
  })
}

/** Invisible characters of a heading, and pandas' text for no name. */
const invisible = /[\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g
const pandasName = /^unnamed: \d{1,4}$/i

function cleanHeading(cell: string): string {
  const header = cell.replace(invisible, ' ').trim()
  return pandasName.test(header) ? '' : header
}

function isIgnored(header: string): boolean {
  return header === '' || isOfRejects(header)
}

function isOfRejects(header: string): boolean {
  return header === rejectColumns.line || header === rejectColumns.reasons || header.startsWith(rejectColumns.nameless)
}

/** Header and choice are compared exactly but for blanks and case, so that two similar columns can be told apart. */
function keyOfColumn(header: string): string {
  return cleanHeading(header).toLowerCase()
}

/** Positions count without the two columns in front of a rejects file, so that the same choices serve for it. */
function referencesOf(headers: readonly string[]): { positions: string[]; names: string[] } {
  const offset = isRejectsHeader(headers) ? 2 : 0
  const positions = headers.map((_, index) => (index < offset ? '' : `#${index + 1 - offset}`))
  const counts = new Map<string, number>()
  for (const header of headers) counts.set(keyOfColumn(header), (counts.get(keyOfColumn(header)) ?? 0) + 1)
  const names = headers.map((header, index) => {
    const isName = header !== '' && header.length <= 60 && !/^[#*]/.test(header)
    return isName && counts.get(keyOfColumn(header)) === 1 ? header : positions[index]!
  })
  return { positions, names }
}

type Rows = readonly (readonly string[])[]

/**
 * Of several columns that mean one field, the surest is read if it is one, has values, and no other contradicts it in the
 * records' key; the report names the others.
 */
function settleRepeated({ schema }: FieldNames, columns: HeaderColumn[], rows: Rows): Fault[] {
  return [...groupByField(columns)].flatMap(([field, group]) => {
    if (group.length < 2) return []
    const ranked = group.toSorted((a, b) => rankOf(b) - rankOf(a))
    const [best, next] = ranked
    const hasValues = (column: HeaderColumn) => {
      const index = columns.indexOf(column)
      return rows.some((cells) => (cells[index] ?? '').trim() !== '')
    }
    if (rankOf(best!) === rankOf(next!) || (!hasValues(best!) && ranked.some(hasValues))) return []
    if (best!.how !== 'map' && shapeOf(schema).required?.includes(field) && contradict(columns, group, rows)) return []
    const surer = best!.header || best!.reference
    return ranked.slice(1).map((column) => {
      column.field = null
      column.how = 'ignored'
      const name = column.header || column.reference
      return fault(field, `the column "${name.slice(0, 60)}" is not read: "${surer.slice(0, 60)}" is this field`, {
        hint: `--map ${quoteArgument(`${column.reference}=${field}`)} reads it instead`,
      })
    })
  })
}

/** Whether two columns name different hosts in one row: then neither is certain to be the key. */
function contradict(columns: readonly HeaderColumn[], group: readonly HeaderColumn[], rows: Rows): boolean {
  const indexes = group.map((column) => columns.indexOf(column))
  return rows.some((cells) => {
    const hosts = indexes.map((index) => normalizeDomain(cells[index] ?? '')).filter((host) => host !== null)
    return new Set(hosts).size > 1
  })
}

/**
 * A column without a name is ignored. If most rows have a value there, the report says so; if few have, a row was shifted
 * by a delimiter inside a value, and is at fault. Nothing shifts a row to the left of the first name.
 */
function judgeNameless(
  columns: readonly HeaderColumn[],
  map: ColumnMap,
  rows: readonly (readonly string[])[],
): { nameless: number[]; notices: Fault[] } {
  const isRejects = isRejectsHeader(columns.map(({ header }) => header))
  const firstNamed = columns.findIndex(({ header }) => header !== '')
  const nameless: number[] = []
  const notices: Fault[] = []
  for (const [index, { header, reference, how }] of columns.entries()) {
    if (header !== '' || how !== 'ignored' || map[reference] === '') continue
    const filled = rows.filter((cells) => (cells[index] ?? '').trim() !== '')
    const isCommon = !isRejects && (index < firstNamed || (filled.length >= 2 && filled.length * 2 >= rows.length))
    if (!isCommon) nameless.push(index)
    else if (filled.length > 0) {
      const value = filled[0]![index]!.trim()
      const hint = `name it with --map "${reference}=FIELD", or ignore it with --map "${reference}="`
      notices.push(fault(`column ${reference.slice(1)}`, 'has values and no name', { value, hint }))
    }
  }
  return { nameless, notices }
}

/** The fields of a file without a header, in the order of its columns; empty for one that is ignored. */
export function withoutHeader(
  names: FieldNames,
  given: readonly string[],
  width: number,
  map: ColumnMap,
): { cells: string[]; map: ColumnMap } {
  const unknown = given.filter((field) => field !== '' && !findField(names.schema, field))
  if (unknown.length > 0)
    throw new OperatorError(
      `--no-header names ${unknown.map((field) => `"${field.slice(0, 60)}"`).join(', ')}, which a ${names.noun} does not have${describeNearest(names, unknown[0]!)}.`,
    )
  if (given.length > width)
    throw new OperatorError(
      `--no-header names ${given.length} columns, and the rows have ${width}. Is the delimiter right?`,
    )
  const byPosition = Object.fromEntries(given.map((field, index) => [`#${index + 1}`, field]))
  return { cells: Array.from({ length: width }, (_, index) => given[index] ?? ''), map: { ...byPosition, ...map } }
}

/** The header of a file that can be imported; throws an `OperatorError` with all that is wrong with it. */
export function requireUsable(sourceName: string, { columns, problems }: Pick<Header, 'columns' | 'problems'>) {
  if (problems.length > 0) throw new OperatorError(`${sourceName}: ${problems.join(' ')}`)
  return columns
}
