/** Records as rows that an import of CSV reads: `a.b` is a field of an object, `a.0.b` one of an object in a list. */
import { isDeepStrictEqual } from 'node:util'
import type { TObject, TSchema } from 'typebox'
import { exactCell } from '../../../catalogue/imports/cells/exact-cell.ts'
import type { NumberStyle } from '../../../catalogue/imports/cells/numbers.ts'
import { findField } from '../../../catalogue/imports/fields/fields.ts'
import { listFields } from '../../../catalogue/imports/fields/import-fields.ts'
import { compileColumns } from '../../../catalogue/imports/table/columns.ts'
import { type CsvValue, formatCsvRow, guardText } from '../../../foundation/kernel/csv.ts'

/** How many items each list of objects has in the longest record, by the name of the list. */
export type ListLengths = Map<string, number>

/** Raises the lengths to those of a record. */
export function measureLists(lengths: ListLengths, record: object): void {
  for (const [name, value] of Object.entries(record))
    if (Array.isArray(value) && typeof value[0] === 'object')
      lengths.set(name, Math.max(lengths.get(name) ?? 0, value.length))
}

export interface RecordCsv {
  header: string
  row(record: object): string
}

export interface RecordTable {
  /** The values of a row's cells, without guards of formulas. */
  row(record: object): CsvValue[]
}

/** The columns of a record, with as many of each list as its longest needs. */
export function columnsOf(schema: TSchema, lengths: ListLengths): string[] {
  return listFields(schema).flatMap(({ name }) => numberedColumns(name, lengths))
}

/** With a schema, an import of the file gives the same records: what its cleaning would change is said exactly. */
export function createRecordCsv(columns: readonly string[], schema: TObject | null = null): RecordCsv {
  const table = createRecordTable(columns, schema, 'csv')
  return { header: formatCsvRow(columns), row: (record) => formatCsvRow(table.row(record)) }
}

/** The same as cells: those of a workbook need no guard, and its numbers are read in one way only. */
export function createRecordTable(
  columns: readonly string[],
  schema: TObject | null,
  format: 'csv' | 'xlsx',
): RecordTable {
  const writers = columns.map((column) => ({ path: column.split('.'), ...cellWriter(column, schema, format) }))
  return {
    row(record) {
      const values = writers.map(({ path }) => valueAt(record, path))
      const isRead = writers.map(({ readsBack }, index) => readsBack(values[index]!))
      // Of several phones all are cleaned, or none.
      const keepsPhones = writers.some(({ isPhone }, index) => isPhone && !isRead[index])
      return writers.map(({ isPhone }, index) => cellOf(values[index]!, isRead[index]! && !(isPhone && keepsPhones)))
    },
  }
}

type Value = string | number | boolean | readonly string[] | null

interface CellWriter {
  isPhone: boolean
  /** Whether an import reads the value as it is from a plain cell. */
  readsBack(value: Value): boolean
}

function cellWriter(column: string, schema: TObject | null, format: 'csv' | 'xlsx'): CellWriter {
  const shape = schema === null ? undefined : findField(schema, column)
  if (schema === null || !shape || shape.enum || shape.type === 'boolean')
    return { isPhone: false, readsBack: () => true }
  // As the first item of its list, which alone would be the first.
  const first = column.replace(/\.\d+\./, '.0.')
  const read = compileColumns(schema, [first])
  // Whatever the other cells of the file show of its numbers, and whatever the taxonomy there calls its values.
  const isNumber = shape.type === 'number' || shape.type === 'integer'
  if (isNumber && format === 'xlsx') return { isPhone: false, readsBack: isKeptNumber }
  const guard = format === 'csv' ? guardText : (text: string) => text
  const resolver = { understand: () => undefined }
  const readings = (isNumber ? numberStyles : [anyStyle]).map((numbers) => ({ numbers, dates: undefined, resolver }))
  const path = first.split('.')
  const isPhone = shape.cell === 'phone'
  const known = new Map<Value, boolean>()
  function readsBack(value: NonNullable<Value>): boolean {
    const cell = guard(plainText(value))
    // One without country code is completed with the country of its store.
    if (isPhone && !cell.startsWith('+')) return false
    return readings.every((options) => isSame(valueAt(read([cell], options, 'utf-8').record, path), value))
  }
  return {
    isPhone,
    readsBack(value) {
      if (value === null) return true
      if (typeof value === 'object') return value.length === 0 || readsBack(value)
      const answer = known.get(value) ?? readsBack(value)
      if (known.size >= mostKnown) known.clear()
      known.set(value, answer)
      return answer
    },
  }
}

/** A workbook keeps 15 digits of a number, and none that is very near to zero. */
function isKeptNumber(value: Value): boolean {
  if (typeof value !== 'number') return true
  return Math.abs(value) < 1e15 && Number(value.toPrecision(15)) === value && !String(value).includes('e')
}

const anyStyle: NumberStyle = { decimal: 'dot', isDecimalCertain: false }
/** The decimal marks that the numbers of a file allow. */
const numberStyles: readonly NumberStyle[] = [anyStyle, { decimal: 'comma', isDecimalCertain: true }]

/** So many values of a column are remembered: many columns have few different ones. */
const mostKnown = 500

function isSame(a: Value, b: Value): boolean {
  return a === b || (typeof a === 'object' && isDeepStrictEqual(a, b))
}

/** `emails.0.email` for as many emails as there are, of all lists at least one. */
function numberedColumns(name: string, lengths: ListLengths): string[] {
  const [list, rest] = name.split('.0.')
  if (rest === undefined) return [name]
  return Array.from({ length: Math.max(1, lengths.get(list!) ?? 0) }, (_, index) => `${list}.${index}.${rest}`)
}

function valueAt(record: object, path: readonly string[]): Value {
  let value: unknown = record
  for (const step of path) value = (value as Record<string, unknown> | null | undefined)?.[step]
  return (value ?? null) as Value
}

function cellOf(value: Value, isRead: boolean): CsvValue {
  if (value === null) return null
  return typeof value === 'boolean' || isRead ? csvValueOf(value) : exactCell(value)
}

function csvValueOf(value: NonNullable<Value>): CsvValue {
  return typeof value === 'number' ? value : plainText(value)
}

function plainText(value: NonNullable<Value>): string {
  return Array.isArray(value) ? value.join('|') : String(value)
}
