import { type FieldNames, requireUsable } from '../csv/header.ts'
import { type CsvLayout, type CsvOptions, openCsv } from '../csv/open-csv.ts'
import type { TaxonomyResolver } from '../taxonomy-resolver.ts'
import { isBlank } from './lines.ts'
import { CsvReader, JsonArrayReader, NdjsonReader, type RawRecord, type RecordReader } from './records.ts'
import { csvRejects, jsonRejects, type RejectsFormat } from './rejects.ts'
import type { ImportSource } from './text.ts'

/** An opened import file. */
export interface OpenedFile {
  format: 'ndjson' | 'json' | 'csv'
  /** How the CSV file is read; null for JSON. */
  layout: CsvLayout | null
  rejects: RejectsFormat
  /** Yields the unchecked records in order, one array per block. */
  readRecords(resolver: TaxonomyResolver): AsyncGenerator<RawRecord[]>
}

/** Opens a source: finds out how it is written. Throws an `OperatorError` for a CSV file whose columns cannot be read. */
export async function openRecords(source: ImportSource, names: FieldNames, options: CsvOptions): Promise<OpenedFile> {
  if (source.format === 'csv') {
    const { layout, blocks } = await openCsv(source, names, options)
    requireUsable(source.name, layout)
    const header = layout.columns.map((column) => column.header)
    return {
      format: 'csv',
      layout,
      rejects: csvRejects(header, layout.delimiter),
      readRecords: (resolver) => readAll(blocks, new CsvReader(names, layout, resolver)),
    }
  }
  const { isArray, blocks } = await startsWithBracket(source.blocks)
  return {
    format: isArray ? 'json' : 'ndjson',
    layout: null,
    rejects: jsonRejects(),
    readRecords: () => readAll(blocks, isArray ? new JsonArrayReader() : new NdjsonReader()),
  }
}

async function* readAll(blocks: AsyncIterable<Buffer>, reader: RecordReader): AsyncGenerator<RawRecord[]> {
  for await (const block of blocks) yield reader.read(block)
  yield reader.end()
}

/** Whether the first character that is not blank opens a list. */
async function startsWithBracket(
  blocks: AsyncIterable<Buffer>,
): Promise<{ isArray: boolean; blocks: AsyncIterable<Buffer> }> {
  const rest = blocks[Symbol.asyncIterator]()
  const first: Buffer[] = []
  let text = ''
  while (text === '') {
    const { done, value } = await rest.next()
    if (done) break
    first.push(value)
    if (!isBlank({ bytes: value }))
      text = value
        .toString('utf8', 0, 4_096)
        .replace(/^\ufeff/, '')
        .trimStart()
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  }
  return { isArray: text.startsWith('['), blocks: all() }
}
