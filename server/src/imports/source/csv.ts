/**
 * Parses CSV (RFC 4180) so that a malformed row costs only the line it starts on: parsing resumes at the next line.
 * Common parsers stop at the first malformed row, or read the rest of the file as one cell after an unclosed quote.
 */
import { isUtf8 } from 'node:buffer'
import { isBlank, type Line, maxLineBytes } from './text.ts'

/** The cells of a row, or the reason why it is malformed. */
export type CsvRow = { line: number; bytes: number } & (
  | { cells: string[]; problem?: never }
  | { problem: string; text: string }
)

/** The result at one line: a row that ends before line `next`, a malformed row, or a row that needs more lines. */
type Parsed = { cells: string[]; next: number } | { problem: string } | 'unfinished'

export class CsvParser {
  #pending: Line[] = []

  /** Returns the rows that end in these lines. Line breaks inside a cell become `\n`. */
  read(lines: Line[], isEnd: boolean): CsvRow[] {
    const queue = this.#pending.concat(lines)
    const rows: CsvRow[] = []
    let at = 0
    while (at < queue.length) {
      const line = queue[at]!
      if (isBlank(line)) {
        at++
        continue
      }
      const parsed = parseRow(queue, at)
      if (parsed === 'unfinished' && !isEnd) break
      if (parsed !== 'unfinished' && 'cells' in parsed) {
        rows.push({ line: line.number, bytes: bytesOf(queue, at, parsed.next), cells: parsed.cells })
        at = parsed.next
      } else {
        const problem = parsed === 'unfinished' ? 'malformed: a quote is never closed' : parsed.problem
        rows.push({ line: line.number, bytes: line.bytes.length, problem, text: line.bytes.toString('utf8') })
        at++
      }
    }
    this.#pending = queue.slice(at)
    return rows
  }
}

function parseRow(lines: Line[], start: number): Parsed {
  const cells: string[] = []
  let at = start
  let text = textOf(lines[at]!)
  if (typeof text !== 'string') return text
  if (!text.includes('"')) return { cells: text.split(','), next: at + 1 }
  let bytes = lines[at]!.bytes.length
  let position = 0

  while (true) {
    if (text[position] !== '"') {
      const comma = text.indexOf(',', position)
      const cell = text.slice(position, comma === -1 ? undefined : comma)
      if (cell.includes('"')) return { problem: 'malformed: a quote inside an unquoted cell' }
      cells.push(cell)
      if (comma === -1) return { cells, next: at + 1 }
      position = comma + 1
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
        text = textOf(lines[at]!)
        if (typeof text !== 'string') return text
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
    if (text[position] !== ',') return { problem: 'malformed: text after a closing quote' }
    position++
  }
}

function textOf(line: Line): string | { problem: string } {
  if (line.isTruncated) return { problem: 'longer than 1 MB' }
  return isUtf8(line.bytes) ? line.bytes.toString('utf8') : { problem: 'not valid UTF-8' }
}

function bytesOf(lines: Line[], from: number, to: number): number {
  let bytes = 0
  for (let at = from; at < to; at++) bytes += lines[at]!.bytes.length
  return bytes
}
