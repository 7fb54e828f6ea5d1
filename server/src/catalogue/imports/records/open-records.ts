import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import { delimiters } from '../csv/dialect.ts'
import { fieldsOfHeader, requireUsable } from '../csv/header.ts'
import { type CsvLayout, type CsvOptions, headingsForRejects, openCsv } from '../csv/open-csv.ts'
import type { FieldNames } from '../fields/field-names.ts'
import { decodeMarked, peek } from '../source/encoding.ts'
import { linesWithoutJson, lookedAtBytes } from '../source/other-formats.ts'
import type { ImportSource } from '../source/text.ts'
import { CsvReader, JsonArrayReader, NdjsonReader, type RawRecord, type RecordReader } from './records.ts'
import { csvRejects, jsonRejects, type RejectsFormat } from './rejects.ts'

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
  const { first, blocks } = await peek(await decodeMarked(source.name, source.blocks))
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
