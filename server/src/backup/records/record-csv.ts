/** Records as rows that an import of CSV reads: `a.b` is a field of an object, `a.0.b` one of an object in a list. */
import type { TSchema } from 'typebox'
import { listFields } from '../../imports/import-fields.ts'
import { type CsvValue, csvCell, formatCsvRow } from '../../kernel/csv.ts'

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

/** The columns of a record, with as many of each list as its longest needs. */
export function columnsOf(schema: TSchema, lengths: ListLengths): string[] {
  return listFields(schema).flatMap(({ name }) => numberedColumns(name, lengths))
}

export function createRecordCsv(columns: readonly string[]): RecordCsv {
  const paths = columns.map((column) => column.split('.'))
  return {
    header: formatCsvRow(columns),
    row: (record) => `${paths.map((path) => csvCell(cellAt(record, path))).join()}\r\n`,
  }
}

/** `emails.0.email` for as many emails as there are, of all lists at least one. */
function numberedColumns(name: string, lengths: ListLengths): string[] {
  const [list, rest] = name.split('.0.')
  if (rest === undefined) return [name]
  return Array.from({ length: Math.max(1, lengths.get(list!) ?? 0) }, (_, index) => `${list}.${index}.${rest}`)
}

function cellAt(record: object, path: readonly string[]): CsvValue {
  let value: unknown = record
  for (const step of path) value = (value as Record<string, unknown> | null | undefined)?.[step]
  if (value === undefined || value === null) return null
  if (Array.isArray(value)) return value.join('|')
  return typeof value === 'number' ? value : String(value)
}
