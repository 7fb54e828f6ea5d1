import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import { delimiters } from '../csv/dialect.ts'
import { type CsvLayout, openCsv } from '../csv/open-csv.ts'
import type { FieldNames, HeaderColumn } from '../fields/field-names.ts'
import { decodeMarked, peek } from '../source/encoding.ts'
import type { ImportSource, WorkbookFile } from '../source/open-source.ts'
import { linesWithoutJson, lookedAtBytes } from '../source/other-formats.ts'
import type { TextFile } from '../source/text.ts'
import { fieldsOfHeader, requireUsable } from '../table/header.ts'
import { headingsForRejects } from '../table/layout.ts'
import { openSheet, type SheetLayout } from '../workbook/open-sheet.ts'
import type { ReadingOptions } from './reading-options.ts'
import { JsonArrayReader, NdjsonReader, type RawRecord, type RecordReader } from './records.ts'
import { csvRejects, jsonRejects, type RejectsFormat, workbookRejects } from './rejects-formats.ts'
import { CsvReader, TableReader } from './table-records.ts'

export const fileFormats = ['ndjson', 'json', 'csv', 'xlsx'] as const
export type FileFormat = (typeof fileFormats)[number]

/** An opened import file. */
export interface OpenedFile {
  format: FileFormat
  /** How its table is read; null for JSON. */
  layout: CsvLayout | SheetLayout | null
  rejects: RejectsFormat
  /** Yields the unchecked records in order, one array per block. */
  readRecords(resolver: TaxonomyResolver): AsyncGenerator<RawRecord[]>
}

/** Opens a source: finds out how it is written. Throws an `OperatorError` for a table whose columns cannot be read. */
export async function openRecords(
  source: ImportSource,
  names: FieldNames,
  options: ReadingOptions,
): Promise<OpenedFile> {
  if (source.format !== 'json') {
    const { layout, rejects, readRecords } = await openTable(source, names, options)
    requireUsable(source.name, layout)
    const { format } = source
    return { format, layout, rejects, readRecords: (resolver) => readRecords(layout.columns, resolver) }
  }
  const { isArray, blocks } = await openJson(source, names)
  return {
    format: isArray ? 'json' : 'ndjson',
    layout: null,
    rejects: jsonRejects(),
    readRecords: () => readAll(blocks, isArray ? new JsonArrayReader() : new NdjsonReader()),
  }
}

interface OpenedTable {
  layout: CsvLayout | SheetLayout
  rejects: RejectsFormat
  /** Reads with these columns, which are those of the layout or fewer. */
  readRecords(columns: HeaderColumn[], resolver: TaxonomyResolver): AsyncGenerator<RawRecord[]>
}

/** Opens a table, also one whose columns cannot be read: the problems of its layout say why. */
export async function openTable(
  source: TextFile | WorkbookFile,
  names: FieldNames,
  options: ReadingOptions,
): Promise<OpenedTable> {
  refuseOtherOptions(source, options)
  if (source.format === 'xlsx') {
    const { layout, rows } = await openSheet(source, names, options)
    return {
      layout,
      rejects: workbookRejects(headingsForRejects(layout)),
      async *readRecords(columns, resolver) {
        const reader = new TableReader(names, { ...layout, columns }, resolver, ', ')
        for await (const batch of rows) yield reader.read(batch)
      },
    }
  }
  const { layout, blocks } = await openCsv(source, names, options)
  return {
    layout,
    rejects: csvRejects(headingsForRejects(layout), layout.delimiter),
    readRecords: (columns, resolver) => readAll(blocks, new CsvReader(names, { ...layout, columns }, resolver)),
  }
}

/** Throws an `OperatorError` for an option that the format has no use for: it was meant for another file. */
function refuseOtherOptions({ name, format }: TextFile | WorkbookFile, options: ReadingOptions): void {
  const { delimiter, encoding, sheet } = options
  if (format === 'xlsx' && (delimiter !== undefined || encoding !== undefined))
    throw new OperatorError(`${name}: --delimiter and --encoding are for CSV, and this is a workbook.`)
  if (format === 'csv' && sheet !== undefined)
    throw new OperatorError(`${name}: --sheet is for workbooks, and this is CSV.`)
}

async function* readAll(blocks: AsyncIterable<Buffer>, reader: RecordReader): AsyncGenerator<RawRecord[]> {
  for await (const block of blocks) yield reader.read(block)
  yield reader.end()
}

/** Whether the first character that is not blank opens a list. The blocks returned are UTF-8. */
async function openJson(
  source: TextFile,
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
