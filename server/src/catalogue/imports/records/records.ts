import { parseStrictJson } from '../../../foundation/kernel/json.ts'
import type { Fault } from '../fields/faults.ts'
import { JsonArraySplitter } from '../source/json-array.ts'
import { isBlank, type Line, LineSplitter } from '../source/lines.ts'
import { mayHaveLostText, takeLostText } from '../source/lost-text.ts'
import type { TypedCells } from '../table/rows.ts'

/** A record as the file has it: JSON, the cells of a row, or the text of what is neither. */
export type Original = Buffer | readonly string[] | TypedCells

/** An unchecked record of a file, or the reason why its text is not a record. */
export type RawRecord = {
  line: number
  bytes: number
  original: Original
  /** Of the first row with letters beyond ASCII, a cell with them: it shows whether the encoding is right. */
  decoded?: string
  /** Whether the workbook hides its row. */
  isHidden?: boolean
} & (
  | { value: unknown; faults: readonly Fault[]; keepsPhones?: boolean; problem?: never }
  | {
      problem: string
      /** Details beyond the problem: figures, and the text if `original` lacks it. */
      detail: string | null
      hint?: string
    }
)

/** Reads the records of blocks of bytes, in order. */
export interface RecordReader {
  read(block: Buffer): RawRecord[]
  end(): RawRecord[]
}

const noFaults: readonly Fault[] = []

/** One JSON record a line. */
export class NdjsonReader implements RecordReader {
  readonly #lines = new LineSplitter()

  read(block: Buffer): RawRecord[] {
    return this.#records(this.#lines.push(block))
  }

  end(): RawRecord[] {
    return this.#records(this.#lines.end())
  }

  #records(lines: Line[]): RawRecord[] {
    return lines.filter((line) => line.isTruncated || !isBlank(line)).map((line) => readJson(line.number, line))
  }
}

/** A JSON array of records. */
export class JsonArrayReader implements RecordReader {
  readonly #elements = new JsonArraySplitter()

  read(block: Buffer): RawRecord[] {
    return this.#elements.push(block).map((element) => readJson(element.line, element))
  }

  end(): RawRecord[] {
    const rest = this.#elements.end()
    return rest.map(({ line, bytes }) => ({
      line,
      bytes: bytes.length,
      original: [bytes.toString('utf8')],
      problem: this.#elements.isClosed ? 'text after the end of the list' : 'the list is never closed',
      detail: null,
    }))
  }
}

const jsonProblems = {
  invalid_utf8: 'not valid UTF-8',
  syntax: 'not valid JSON',
  too_deep: 'nested too deeply',
  duplicate_key: 'duplicate key in an object',
}

function readJson(line: number, { bytes, isTruncated }: Pick<Line, 'bytes' | 'isTruncated'>): RawRecord {
  const parsed = isTruncated ? null : parseStrictJson(bytes)
  if (parsed?.ok) {
    const faults = mayHaveLostText(bytes) ? takeLostText(parsed.value) : noFaults
    return { line, bytes: bytes.length, original: bytes, value: parsed.value, faults }
  }
  const problem = parsed ? jsonProblems[parsed.reason] : 'longer than 1 MB'
  return { line, bytes: bytes.length, original: [bytes.toString('utf8')], problem, detail: null }
}
