/** The same rows as a CSV and as a workbook: thirty columns, of which the import takes nineteen, a third with texts that no other cell has. */
import { bookCell, type TestBook, type TestCell, writeBook } from '@storedex/testkit/workbooks'
import type { StoreRecord } from '../../catalogue/build/records.ts'
import { formatCsvRow } from '../../server/src/foundation/kernel/csv.ts'
import { writeLines } from '../../server/test/support/programs/workspace.ts'
import { generateStores } from '../../server/test/support/records/store-records.ts'

type Value = string | number | boolean | null | undefined

interface Column {
  header: string
  read(store: StoreRecord, row: number): Value
  isDay?: true
}

const list = (items: readonly string[] | null | undefined) => items?.join('|') || null

const fields: readonly Column[] = [
  { header: 'domain', read: ({ domain }) => domain },
  { header: 'name', read: ({ name }) => name },
  { header: 'aliases', read: ({ aliases }) => list(aliases) },
  { header: 'category', read: ({ category }) => category },
  { header: 'country', read: ({ country }) => country },
  { header: 'traffic_tier', read: (store) => store.traffic_tier },
  { header: 'revenue_tier', read: (store) => store.revenue_tier },
  { header: 'platform_plus', read: (store) => store.platform_plus },
  { header: 'lead_fit_score', read: (store) => store.lead_fit_score },
  { header: 'store_created_at.estimate', read: (store) => store.store_created_at?.estimate, isDay: true },
  { header: 'store_created_at.resolution', read: (store) => store.store_created_at?.resolution },
  { header: 'store_created_at.source', read: (store) => store.store_created_at?.source },
  { header: 'store_created_at.confidence', read: (store) => store.store_created_at?.confidence },
  { header: 'first_discovered_at', read: (store) => store.first_discovered_at, isDay: true },
  { header: 'active_ads', read: (store) => store.active_ads },
  { header: 'technologies.apps', read: ({ technologies }) => list(technologies?.apps) },
  { header: 'technologies.pixels', read: ({ technologies }) => list(technologies?.pixels) },
  { header: 'technologies.theme.name', read: ({ technologies }) => technologies?.theme?.name },
  { header: 'technologies.theme.type', read: ({ technologies }) => technologies?.theme?.type },
]

const notes: readonly Column[] = Array.from({ length: 11 }, (_, at): Column => {
  const header = `Note ${at + 1}`
  if (at < 7) return { header, read: ({ domain }, row) => `${header} on ${domain}, call ${row % 9_973}` }
  return at < 9
    ? { header, read: (_store, row) => row * (at + 1) }
    : { header, read: (_store, row) => `word ${row % 500}` }
})

const columns = [...fields, ...notes]
const headers = columns.map(({ header }) => header)

/** For columns that are no field of a store. */
export const ignoredColumns: Record<string, string> = Object.fromEntries(notes.map(({ header }) => [header, '']))

function* rowsOf(count: number): Generator<Value[]> {
  let row = 0
  for (const store of generateStores(count)) {
    row++
    yield columns.map(({ read }) => read(store, row))
  }
}

export function writeCsvFile(file: string, count: number): Promise<string> {
  function* lines(): Generator<string> {
    yield formatCsvRow(headers)
    for (const values of rowsOf(count))
      yield formatCsvRow(values.map((value) => (value == null ? null : String(value))))
  }
  return writeLines(file, lines())
}

/** Numbers, booleans and days with their types, texts shared. */
export async function writeWorkbookFile(file: string, count: number): Promise<string> {
  function* rows(): Generator<TestCell[]> {
    yield headers
    for (const values of rowsOf(count)) yield values.map((value, column) => cellOf(value, columns[column]!))
  }
  const book: TestBook = { sheets: [{ name: 'Stores', rows: rows() }] }
  await writeBook(file, book)
  return file
}

function cellOf(value: Value, { isDay }: Column): TestCell {
  return isDay && typeof value === 'string' ? bookCell.date(value.slice(0, 10)) : (value ?? null)
}
