import type { TSchema } from 'typebox'
import type { Vocabulary } from '../../../search/query/vocabulary.ts'
import { TaxonomyResolver } from '../cells/taxonomy-resolver.ts'
import { type CsvOptions, openCsv, type Suggestion } from '../csv/open-csv.ts'
import { type Fault, fault, fieldOfPath } from '../fields/faults.ts'
import type { HeaderColumn } from '../fields/field-names.ts'
import { findField } from '../fields/fields.ts'
import { openSource } from '../source/text.ts'
import type { ReadContext, RecordKind } from './import-kind.ts'
import { openRecords } from './open-records.ts'
import { readRecord } from './read-record.ts'
import { CsvReader, type RawRecord } from './records.ts'

/** A column with some of its cells. */
interface InspectedColumn extends HeaderColumn {
  examples: string[]
}

/** A row as it would be imported. */
interface InspectedRow {
  line: number
  /** The cells of a CSV row; empty for JSON. */
  cells: string[]
  /** The record as far as it could be read. */
  record: unknown
  faults: { field: string; reason: string; value: string | null; hint: string | null }[]
}

/** How a file would be read. */
export interface Inspection {
  format: 'ndjson' | 'json' | 'csv'
  encoding: string | null
  delimiter: string | null
  decimal: string | null
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

export interface InspectOptions extends CsvOptions {
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
    const context = { resolver, seals, cleansPhones: source.format === 'csv' }
    const describe = (record: RawRecord) => describeRow(record, listFaults(kinds, record, context))
    if (source.format === 'csv') {
      const { layout, blocks } = await openCsv(source, kind, options)
      const { encoding, delimiter, decimal, problems, suggestion } = layout
      // Columns that cannot be used are shown, and not read.
      const usable = problems.length > 0 ? withoutUnusable(kind.schema, layout.columns) : layout.columns
      const rows = (await firstRecords(blocks, new CsvReader(kind, { ...layout, columns: usable }, resolver))).map(
        describe,
      )
      const columns = layout.columns.map((column, index) => ({ ...column, examples: examplesOf(rows, index) }))
      const notices = layout.notices.map(({ fault: { path, reason, hint } }) => ({
        ...{ field: fieldOfPath(path), reason, hint },
      }))
      return { format: 'csv', encoding, delimiter, decimal, columns, problems, suggestion, notices, rows }
    }
    const opened = await openRecords(source, kind, options)
    const records: RawRecord[] = []
    for await (const batch of opened.readRecords(resolver)) {
      records.push(...batch.slice(0, shownRows - records.length))
      if (records.length >= shownRows) break
    }
    const nothing = {
      encoding: null,
      delimiter: null,
      decimal: null,
      columns: [],
      problems: [],
      suggestion: null,
      notices: [],
    }
    return { format: opened.format, ...nothing, rows: records.map(describe) }
  } finally {
    source.close()
  }
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

async function firstRecords(blocks: AsyncIterable<Buffer>, reader: CsvReader): Promise<RawRecord[]> {
  const records: RawRecord[] = []
  for await (const block of blocks) {
    records.push(...reader.read(block))
    if (records.length >= shownRows) return records.slice(0, shownRows)
  }
  return [...records, ...reader.end()].slice(0, shownRows)
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
    cells: Buffer.isBuffer(original) ? [] : [...(original as readonly string[])],
    record: record.problem === undefined ? record.value : null,
    faults: faults.map(({ path, reason, value, hint }) => ({ field: fieldOfPath(path), reason, value, hint })),
  }
}

function examplesOf(rows: readonly InspectedRow[], column: number): string[] {
  const cells = rows.flatMap((row) => row.cells[column]?.trim() || [])
  return [...new Set(cells)].slice(0, shownExamples)
}
