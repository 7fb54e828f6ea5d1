/** Pages of records as the blocks of a file. */
import type { WorkbookWriter } from '@storedex/workbook/write'
import type { TObject } from 'typebox'
import { createRecordCsv, createRecordTable } from './record-csv.ts'

type Pages = AsyncIterable<object[]>

/** How records stand in rows. */
export interface RecordShape {
  columns: readonly string[]
  /** Null for records that no import takes. */
  schema: TObject | null
}

export async function* formatAsLines(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((record) => `${JSON.stringify(record)}\n`).join('')
}

export async function* formatAsCsv(pages: Pages, { columns, schema }: RecordShape): AsyncGenerator<string> {
  const csv = createRecordCsv(columns, schema)
  yield csv.header
  for await (const page of pages) yield page.map(csv.row).join('')
}

export function formatAsWorkbook(
  pages: Pages,
  { columns, schema }: RecordShape,
  writer: WorkbookWriter,
): AsyncGenerator<Buffer> {
  const table = createRecordTable(columns, schema, 'xlsx')
  async function* rows() {
    for await (const page of pages) yield page.map(table.row)
  }
  return writer.write(rows())
}
