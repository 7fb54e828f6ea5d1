import { OperatorError } from '../../kernel/errors.ts'
import { delimiters } from '../csv/dialect.ts'
import type { FieldNames } from '../csv/field-names.ts'
import { fieldsOfHeader, requireUsable } from '../csv/header.ts'
import { type CsvLayout, type CsvOptions, headingsForRejects, openCsv } from '../csv/open-csv.ts'
import type { TaxonomyResolver } from '../taxonomy-resolver.ts'
import { decodeBlocks, isMostlyWide, markedEncoding } from './encoding.ts'
import { isBlank } from './lines.ts'
import { linesWithoutJson, lookedAtBytes } from './other-formats.ts'
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
    return {
      format: 'csv',
      layout,
      rejects: csvRejects(headingsForRejects(layout), layout.delimiter),
      readRecords: (resolver) => readAll(blocks, new CsvReader(names, layout, resolver)),
    }
  }
  const { isArray, blocks } = await openJson(source, names)
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

/** Whether the first character that is not blank opens a list. The blocks returned are UTF-8. */
async function openJson(
  source: ImportSource,
  names: FieldNames,
): Promise<{ isArray: boolean; blocks: AsyncIterable<Buffer> }> {
  const { first, blocks } = await peek(source.blocks)
  const encoding = markedEncoding(first)
  if (encoding === undefined && isMostlyWide(first))
    throw new OperatorError(`${source.name} has NUL characters: it may be UTF-16 without its mark. Save it as UTF-8.`)
  if (encoding !== undefined && encoding !== 'utf-8') {
    const decoded = await peek(decodeBlocks(blocks, encoding))
    return { isArray: textOf(decoded.first).startsWith('['), blocks: decoded.blocks }
  }
  const lines = linesWithoutJson(first)
  if (lines !== null && isCsvHeader(names, lines[0] ?? ''))
    throw new OperatorError(
      source.file === null
        ? `${source.name} is read as NDJSON, and this is CSV. Write it to a file whose name ends in .csv.`
        : `${source.name}: it has CSV, not JSON. Let its name end in .csv.`,
    )
  return { isArray: textOf(first).startsWith('['), blocks }
}

function isCsvHeader(names: FieldNames, line: string): boolean {
  const fields = delimiters.map((delimiter) => {
    const cells = line.split(delimiter).map((cell) => cell.replaceAll('"', ''))
    return fieldsOfHeader(names, cells, {}).length
  })
  return Math.max(...fields) > 0
}

function textOf(first: Buffer): string {
  return first
    .toString('utf8', 0, lookedAtBytes)
    .replace(/^\ufeff/, '')
    .trimStart()
}

/** The beginning of a text up to the first block that is not blank. */
async function peek(blocks: AsyncIterable<Buffer>): Promise<{ first: Buffer; blocks: AsyncIterable<Buffer> }> {
  const rest = blocks[Symbol.asyncIterator]()
  const taken: Buffer[] = []
  let first: Buffer = Buffer.alloc(0)
  while (first.length === 0) {
    const { done, value } = await rest.next()
    if (done) break
    taken.push(value)
    if (!isBlank({ bytes: value })) first = value
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* taken
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  }
  return { first, blocks: all() }
}
