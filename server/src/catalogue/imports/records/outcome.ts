import { fault, type LineFault } from '../fields/faults.ts'
import type { Chunk } from './chunks.ts'
import type { ChunkOutcome } from './import-kind.ts'
import type { OpenedFile } from './open-records.ts'
import { type ImportReport, ProblemReport } from './report.ts'

type FileReport = Required<Omit<ImportReport, 'of'>>
export type ImportCounts = Pick<FileReport, 'read' | 'inserted' | 'updated' | 'unchanged' | 'rejected'>

/** What became of the records of a source. */
export interface ImportOutcome extends Omit<FileReport, 'seconds'> {
  /** Whether the import was stopped before its end. */
  stopped: boolean
  /** Of a dry run of CSV: the first value with letters beyond ASCII, which shows whether the encoding is right. */
  decoded: { line: number; value: string } | null
}

/** Adds up what became of the chunks of an import. */
export class OutcomeCounter {
  readonly counts: ImportCounts = { read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0 }
  stopped = false
  readonly #problems = new ProblemReport()
  readonly #notices = new ProblemReport()
  #dropped = 0
  #wouldTakeWithDrop = 0
  #decoded: ImportOutcome['decoded'] = null

  constructor(notices: readonly LineFault[]) {
    this.#notice(notices)
  }

  add<Patch>(chunk: Chunk<Patch>, outcome: ChunkOutcome<Patch>): void {
    const { counts } = this
    counts.read += chunk.read
    counts.inserted += outcome.inserted
    counts.updated += outcome.updated
    counts.unchanged += outcome.unchanged
    counts.rejected += chunk.rejects.length + outcome.refused.length
    this.#dropped += chunk.dropped.length + outcome.dropped.length
    this.#wouldTakeWithDrop +=
      outcome.takenTrials + outcome.refused.filter(({ isTakenWithDrop }) => isTakenWithDrop).length
    for (const { line, faults } of chunk.rejects) this.#problems.add(line, faults)
    for (const { record, faults } of outcome.refused) this.#problems.add(record.line, faults)
    for (const { line, fault } of [...chunk.dropped, ...outcome.dropped]) this.#problems.add(line, [fault])
    this.#notice(outcome.notices ?? [])
    this.#notice(chunk.hidden.map((line) => ({ line, fault: hiddenRow })))
    this.#decoded ??= chunk.decoded ?? null
  }

  #notice(notices: readonly LineFault[]): void {
    for (const { line, fault } of notices) this.#notices.add(line, [fault])
  }

  /** Ends the report of a file. */
  close({ layout }: OpenedFile, isDryRun: boolean): void {
    if (!isDryRun) this.#decoded = null
    if (this.counts.read > 0 || this.stopped) return
    const hint = layout && layout.columns.length > 0 ? 'the file has a header and no rows' : 'the file is empty'
    this.#notice([{ line: 1, fault: fault('', 'no records were found', { hint }) }])
  }

  outcome(): ImportOutcome {
    return {
      ...this.counts,
      dropped: this.#dropped,
      would_take_with_drop: this.#wouldTakeWithDrop,
      stopped: this.stopped,
      problems: this.#problems.list(),
      notices: this.#notices.list(),
      decoded: this.#decoded,
    }
  }
}

const hiddenRow = fault('', 'its row is hidden or filtered out in the workbook, and is read')
