import type { Writable } from 'node:stream'
import { SingleBar } from 'cli-progress'
import type { ImportProgress } from '../imports/import-file.ts'

interface ProgressLine {
  show(progress: ImportProgress): void
  end(): void
}

/** How far an import has come, on a terminal; of a stream, whose end nobody knows, how much was read. */
export function showProgress(terminal: Writable): ProgressLine {
  let bar: SingleBar | undefined
  return {
    show({ read, rejected, bytesRead, bytesTotal }) {
      if (!bar) {
        const format =
          bytesTotal === null ? '{read} records' : '{bar} {percentage} %  {read} records, {rejected} rejected'
        bar = new SingleBar({
          stream: terminal as NodeJS.WritableStream,
          format,
          hideCursor: true,
          clearOnComplete: true,
        })
        bar.start(bytesTotal ?? 0, 0, { read, rejected })
      }
      bar.update(bytesRead, { read, rejected })
    },
    end: () => bar?.stop(),
  }
}
