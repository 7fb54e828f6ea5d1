/**
 * Parses CSV (RFC 4180, with any delimiter) so that a malformed row costs only the line it starts on: parsing resumes at
 * the next line. Common parsers stop at the first malformed row, or read the rest of the file as one cell after an
 * unclosed quote.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { isBlank, type Line, maxLineBytes } from '../source/lines.ts'
import type { RowText, TableRow } from '../table/rows.ts'

export type Delimiter = ',' | ';' | '\t' | '|'

/** The result at one line: a row that ends before line `next`, a malformed row, or a row that needs more lines. */
type Parsed = { cells: string[]; next: number } | { problem: string } | 'unfinished'

export class CsvParser {
  readonly #delimiter: Delimiter
  #pending: Line[] = []

  constructor(delimiter: Delimiter) {
    this.#delimiter = delimiter
  }

  /** Returns the rows that end in these lines. Line breaks inside a cell become `\n`. */
  read(lines: Line[], isEnd: boolean): TableRow[] {
    const queue = this.#pending.concat(lines)
    const rows: TableRow[] = []
    let at = 0
    while (at < queue.length) {
      const line = queue[at]!
      if (isBlank(line)) {
        at++
        continue
      }
      const parsed = parseRow(queue, at, this.#delimiter)
      if (parsed === 'unfinished' && !isEnd) break
      if (parsed !== 'unfinished' && 'cells' in parsed) {
        const { cells, next } = parsed
        rows.push({
          line: line.number,
          bytes: bytesOf(queue, at, next),
          cells,
          text: textOf(queue, at, next),
        })
        at = next
      } else {
        const problem = parsed === 'unfinished' ? 'malformed: a quote is never closed' : parsed.problem
        rows.push({ line: line.number, bytes: line.bytes.length, problem, content: line.bytes.toString('utf8') })
        at++
      }
    }
    this.#pending = queue.slice(at)
    return rows
  }
}

function parseRow(lines: Line[], start: number, delimiter: Delimiter): Parsed {
  const cells: string[] = []
  let at = start
  if (lines[at]!.isTruncated) return tooLong
  let text = lines[at]!.bytes.toString('utf8')
  if (!text.includes('"')) return { cells: text.split(delimiter), next: at + 1 }
  let bytes = lines[at]!.bytes.length
  let position = 0

  while (true) {
    if (text[position] !== '"') {
      const end = text.indexOf(delimiter, position)
      const cell = text.slice(position, end === -1 ? undefined : end)
      // A quote inside text is a character (5" screen); after a blank it was meant to open a quoted cell.
      if (/^\s+"/.test(cell)) return { problem: 'malformed: a blank before an opening quote' }
      cells.push(cell)
      if (end === -1) return { cells, next: at + 1 }
      position = end + 1
      continue
    }

    let cell = ''
    position++
    while (true) {
      const quote = text.indexOf('"', position)
      if (quote === -1) {
        cell += `${text.slice(position)}\n`
        if (++at === lines.length) return 'unfinished'
        bytes += lines[at]!.bytes.length
        if (bytes > maxLineBytes) return { problem: 'malformed: a quote is not closed within 1 MB' }
        if (lines[at]!.isTruncated) return tooLong
        text = lines[at]!.bytes.toString('utf8')
        position = 0
      } else if (text[quote + 1] === '"') {
        cell += text.slice(position, quote + 1)
        position = quote + 2
      } else {
        cell += text.slice(position, quote)
        position = quote + 1
        break
      }
    }
    cells.push(cell)
    if (position === text.length) return { cells, next: at + 1 }
    if (text[position] !== delimiter) return { problem: 'malformed: text after a closing quote' }
    position++
  }
}

const tooLong = { problem: 'longer than 1 MB' }

function textOf(lines: Line[], from: number, to: number): RowText {
  let text: RowText = 'ascii'
  for (let at = from; at < to; at++) {
    const { bytes } = lines[at]!
    if (isAscii(bytes)) continue
    if (!isUtf8(bytes)) return 'invalid'
    text = 'utf-8'
  }
  return text
}

function bytesOf(lines: Line[], from: number, to: number): number {
  let bytes = 0
  for (let at = from; at < to; at++) bytes += lines[at]!.bytes.length
  return bytes
}
