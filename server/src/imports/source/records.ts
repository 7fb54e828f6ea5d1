import type { TObject } from 'typebox'
import { OperatorError } from '../../kernel/errors.ts'
import { parseStrictJson } from '../../kernel/json.ts'
import { CsvParser, type CsvRow } from './csv.ts'
import { type CsvRowReader, compileCsvColumns } from './csv-columns.ts'
import { type ImportSource, isBlank, type Line, LineSplitter } from './text.ts'

/** An unchecked record of a file, or the reason why its text is not a record. */
export type RawRecord = {
  line: number
  bytes: number
  /** The record for the rejects file. A function, because rejects are rare: made from the file's bytes on demand. */
  toJson(): string
} & ({ value: unknown; problem?: never } | { problem: string })

/**
 * Yields the records of a source in order, one array per block. The schema decides which columns a CSV file may have; the
 * caller checks the records.
 */
export async function* readRecords(source: ImportSource, schema: TObject): AsyncGenerator<RawRecord[]> {
  const lines = new LineSplitter()
  const reader = source.format === 'csv' ? new CsvReader(source.name, schema) : new NdjsonReader()
  for await (const block of source.blocks) yield reader.read(lines.push(block), false)
  yield reader.read(lines.end(), true)
}

const tooLong = 'longer than 1 MB'

class NdjsonReader {
  read(lines: Line[]): RawRecord[] {
    return lines.filter((line) => line.isTruncated || !isBlank(line)).map(readJsonLine)
  }
}

const jsonProblems = {
  invalid_utf8: 'not valid UTF-8',
  syntax: 'not valid JSON',
  too_deep: 'nested too deeply',
  duplicate_key: 'duplicate key in an object',
}

function readJsonLine({ number: line, bytes, isTruncated }: Line): RawRecord {
  const parsed = isTruncated ? null : parseStrictJson(bytes)
  if (parsed?.ok) return { line, bytes: bytes.length, value: parsed.value, toJson: () => bytes.toString('utf8').trim() }
  const problem = parsed ? jsonProblems[parsed.reason] : tooLong
  return { line, bytes: bytes.length, problem, toJson: () => JSON.stringify(bytes.toString('utf8')) }
}

class CsvReader {
  readonly #rows = new CsvParser()
  readonly #sourceName: string
  readonly #schema: TObject
  #columns: CsvRowReader | null = null

  constructor(sourceName: string, schema: TObject) {
    this.#sourceName = sourceName
    this.#schema = schema
  }

  read(lines: Line[], isEnd: boolean): RawRecord[] {
    const rows = this.#rows.read(lines, isEnd)
    return rows.flatMap((row): RawRecord[] => {
      if (!this.#columns) {
        if (row.problem !== undefined)
          throw new OperatorError(`${this.#sourceName}, line ${row.line}: the header is ${row.problem}.`)
        this.#columns = compileCsvColumns(this.#schema, row.cells, this.#sourceName)
        return []
      }
      return [readCsvRow(row, this.#columns)]
    })
  }
}

function readCsvRow(row: CsvRow, columns: CsvRowReader): RawRecord {
  const { line, bytes } = row
  if (row.problem !== undefined) return { line, bytes, problem: row.problem, toJson: () => JSON.stringify(row.text) }
  const { cells } = row
  if (cells.length !== columns.count) {
    const problem = `${cells.length} cells under a header of ${columns.count}`
    return { line, bytes, problem, toJson: () => JSON.stringify(cells.join(',')) }
  }
  return { line, bytes, value: columns.read(cells), toJson: () => JSON.stringify(columns.read(cells)) }
}
