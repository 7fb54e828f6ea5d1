import type { Writable } from 'node:stream'
import { escapeLine } from '@storedex/process-lock/terminal'
import { SingleBar } from 'cli-progress'
import type { ImportProgress } from '../../catalogue/imports/records/import-file.ts'
import type { ClosingProgress } from '../../customers/ledger/closing/closing-run.ts'

interface ProgressLine<Progress> {
  show(progress: Progress): void
  end(): void
}

/** The progress of an import, on a terminal; of a stream of unknown length, the number of records read. */
export function showImportProgress(terminal: Writable): ProgressLine<ImportProgress> {
  let bar: SingleBar | undefined
  return {
    show({ read, rejected, bytesRead, bytesTotal }) {
      const format =
        bytesTotal === null ? '{read} records' : '{bar} {percentage} %  {read} records, {rejected} rejected'
      bar ??= startBar(terminal, format, bytesTotal ?? 0, { read, rejected })
      bar.update(bytesRead, { read, rejected })
    },
    end: () => bar?.stop(),
  }
}

/** The progress of a known number of items, on a terminal. */
export function showCountProgress(terminal: Writable): ProgressLine<{ done: number; total: number }> {
  let bar: SingleBar | undefined
  return {
    show({ done, total }) {
      bar ??= startBar(terminal, '{bar} {percentage} %  {value} of {total}', total, {})
      bar.update(done)
    },
    end: () => bar?.stop(),
  }
}

/** The progress of closing periods, on a terminal. */
export function showClosingProgress(terminal: Writable): ProgressLine<ClosingProgress> {
  let bar: SingleBar | undefined
  return {
    show({ entries, exports }) {
      const payload = { entries, exports }
      bar ??= startBar(terminal, '{exports} exports dropped, {entries} entries packed', 0, payload)
      bar.update(0, payload)
    },
    end: () => bar?.stop(),
  }
}

/** A line of progress, on a terminal. */
export function startBar(terminal: Writable, format: string, total: number, payload: object): SingleBar {
  const bar = new SingleBar({
    stream: terminal as NodeJS.WritableStream,
    format,
    hideCursor: true,
    clearOnComplete: true,
  })
  bar.start(total, 0, payload)
  return bar
}

/** Columns as wide as their widest cell, two spaces apart; a cell has one line, whatever it holds. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((line) => line.map(escapeLine))
  const widths = header.map((_name, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One name and value per line; a missing value is a dash. */
export function formatFields(fields: Readonly<Record<string, string | number | boolean | null>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${escapeLine(String(value ?? '-'))}`)
    .join('\n')
}
