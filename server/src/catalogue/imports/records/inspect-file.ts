import type { TSchema } from 'typebox'
import type { Vocabulary } from '../../../search/query/vocabulary.ts'
import { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import { type Fault, fault, fieldOfPath } from '../fields/faults.ts'
import type { HeaderColumn } from '../fields/field-names.ts'
import { findField } from '../fields/fields.ts'
import { openSource, type WorkbookFile } from '../source/open-source.ts'
import type { Suggestion } from '../table/layout.ts'
import { listSheets, type SheetChoice } from '../workbook/choose-sheet.ts'
import { SheetQuestion } from '../workbook/open-sheet.ts'
import { describeLayout } from './import-file.ts'
import type { ReadContext, RecordKind } from './import-kind.ts'
import { type FileFormat, openRecords, openTable } from './open-records.ts'
import { readRecord } from './read-record.ts'
import type { ReadingOptions } from './reading-options.ts'
import type { RawRecord } from './records.ts'
import { cellsOfOriginal } from './rejects-formats.ts'

/** A column with some of its cells. */
interface InspectedColumn extends HeaderColumn {
  examples: string[]
}

/** A row as it would be imported. */
interface InspectedRow {
  line: number
  /** The cells of a row; empty for JSON. */
  cells: string[]
  /** The record as far as it could be read. */
  record: unknown
  faults: { field: string; reason: string; value: string | null; hint: string | null }[]
}

/** How a file would be read. */
export interface Inspection {
  format: FileFormat
  encoding: string | null
  delimiter: string | null
  decimal: string | null
  /** The sheet that would be read; null without one, and where a person has to choose. */
  sheet: string | null
  /** All sheets of a workbook that has several. */
  sheets: SheetChoice[]
  columns: InspectedColumn[]
  /** Why the file cannot be imported with these columns. */
  problems: string[]
  /** What would let it be read, for a person to decide. */
  suggestion: Suggestion | null
  /** Notices on how it is read. */
  notices: { field: string; reason: string; hint: string | null }[]
  rows: InspectedRow[]
}

const shownRows = 20
const shownExamples = 3

export interface InspectOptions extends ReadingOptions {
  /** Whether an import would add unknown values to the taxonomy; then they are no faults. */
  extendTaxonomy?: boolean
}

/** Reads the beginning of a file as an import would, and writes nothing. */
export function inspectFile(
  context: InspectContext,
  kind: RecordKind<unknown>,
  file: string,
  options: InspectOptions,
): Promise<Inspection> {
  return inspectAs(context, [kind], file, options)
}

export interface InspectContext {
  vocabulary: Vocabulary
  seals: ReadContext['seals']
  /** How much a compressed file may hold. */
  maxUnpackedMb?: number
}

/** The same for a file whose rows are records of several kinds; the columns are those of the first. */
export async function inspectAs(
  { vocabulary, seals, maxUnpackedMb }: InspectContext,
  kinds: readonly [RecordKind<unknown>, ...RecordKind<unknown>[]],
  file: string,
  options: InspectOptions,
): Promise<Inspection> {
  const [kind] = kinds
  const source = await openSource(file, undefined, maxUnpackedMb)
  try {
    const resolver = new TaxonomyResolver(vocabulary, options.extendTaxonomy ?? false)
    const context = { resolver, seals, cleansPhones: source.format !== 'json' }
    const describe = (record: RawRecord) => describeRow(record, listFaults(kinds, record, context))
    if (source.format === 'json') {
      const opened = await openRecords(source, kind, options)
      const rows = (await firstRecords(opened.readRecords(resolver))).map(describe)
      return { format: opened.format, ...withoutTable, rows }
    }
    const { layout, readRecords } = await openTable(source, kind, options)
    const { problems, suggestion } = layout
    // Columns that cannot be used are shown, and not read.
    const usable = problems.length > 0 ? withoutUnusable(kind.schema, layout.columns) : layout.columns
    const rows = (await firstRecords(readRecords(usable, resolver))).map(describe)
    const columns = layout.columns.map((column, index) => ({ ...column, examples: examplesOf(rows, index) }))
    const notices = layout.notices.map(({ fault: { path, reason, hint } }) => ({
      ...{ field: fieldOfPath(path), reason, hint },
    }))
    const read = describeLayout(layout)
    const sheets = source.format === 'xlsx' ? await sheetsToChooseFrom(source) : []
    return { format: source.format, ...read, sheets, columns, problems, suggestion, notices, rows }
  } catch (error) {
    if (!(error instanceof SheetQuestion)) throw error
    return { format: 'xlsx', ...withoutTable, sheets: [...error.sheets], problems: [error.question], rows: [] }
  } finally {
    source.close()
  }
}

const withoutTable = {
  ...{ encoding: null, delimiter: null, decimal: null, sheet: null, suggestion: null },
  ...{ sheets: [], columns: [], problems: [], notices: [] },
}

async function sheetsToChooseFrom({ workbook }: WorkbookFile): Promise<SheetChoice[]> {
  return workbook.sheets.length > 1 ? listSheets(workbook) : []
}

/** A field that several columns have is read from the first; one that a record does not have is not read. */
function withoutUnusable(schema: TSchema, columns: readonly HeaderColumn[]): HeaderColumn[] {
  const taken = new Set<string>()
  return columns.map((column) => {
    if (column.field === null) return column
    if (taken.has(column.field) || !findField(schema, column.field)) return { ...column, field: null }
    taken.add(column.field)
    return column
  })
}

async function firstRecords(batches: AsyncGenerator<RawRecord[]>): Promise<RawRecord[]> {
  const records: RawRecord[] = []
  for await (const batch of batches) {
    records.push(...batch.slice(0, shownRows - records.length))
    if (records.length >= shownRows) break
  }
  return records
}

function listFaults(kinds: readonly RecordKind<unknown>[], record: RawRecord, context: ReadContext): Fault[] {
  if (record.problem !== undefined) return [fault('', record.problem, { hint: record.hint ?? null })]
  return kinds.flatMap((kind) => {
    const selected = kind.select ? kind.select(record) : record
    if (selected === null || selected.problem !== undefined) return []
    return readRecord(kind, selected, context).faults
  })
}

function describeRow(record: RawRecord, faults: readonly Fault[]): InspectedRow {
  const { line, original } = record
  return {
    line,
    cells: [...cellsOfOriginal(original)],
    record: record.problem === undefined ? record.value : null,
    faults: faults.map(({ path, reason, value, hint }) => ({ field: fieldOfPath(path), reason, value, hint })),
  }
}

function examplesOf(rows: readonly InspectedRow[], column: number): string[] {
  const cells = rows.flatMap((row) => row.cells[column]?.trim() || [])
  return [...new Set(cells)].slice(0, shownExamples)
}
