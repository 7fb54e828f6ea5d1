import { formatCsvRow } from '../../server/src/foundation/kernel/csv.ts'

type Cells = Map<string, string>

/** Records as the rows of a spreadsheet, with all columns that any of them needs. Reads the records twice. */
export function* csvRows(records: () => Iterable<object>): Generator<string> {
  const columns = new Set<string>()
  for (const record of records()) for (const column of cellsOf(record).keys()) columns.add(column)
  yield formatCsvRow([...columns])
  for (const record of records()) {
    const cells = cellsOf(record)
    yield formatCsvRow(Array.from(columns, (column) => cells.get(column) ?? null))
  }
}

function cellsOf(value: object, path = '', cells: Cells = new Map()): Cells {
  for (const [name, field] of Object.entries(value)) {
    const column = `${path}${name}`
    const isPlainList = Array.isArray(field) && field.every((item) => typeof item !== 'object')
    if (isPlainList) {
      if (field.length > 0) cells.set(column, field.join('|'))
    } else if (typeof field === 'object' && field !== null) cellsOf(field, `${column}.`, cells)
    else if (field !== null) cells.set(column, String(field))
  }
  return cells
}
