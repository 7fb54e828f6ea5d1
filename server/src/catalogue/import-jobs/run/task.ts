import type { DataKey } from '../../../foundation/kernel/seal.ts'
import type { ImportKindName } from '../../imports/records/report.ts'
import type { JobProgress, JobRejects, JobReport } from '../job.ts'
import type { ImportJobOptions, ImportRun } from '../options.ts'

/** Everything that a run needs; it can be copied to a thread. */
export interface ImportTask {
  databaseUrl: string
  /** The secret of the installation. */
  secret: Uint8Array
  dataKeys: DataKey[] | null
  dataDir: string
  kind: ImportKindName
  run: ImportRun
  options: ImportJobOptions
  importMaxUnpackedMb: number
  file: string
  /** The name that messages give the file, in place of its path. */
  fileName: string
}

export interface ImportTaskResult {
  report: JobReport
  stopped: boolean
  rejects: JobRejects | null
}

/** A run that goes on elsewhere. */
export interface RunningImport {
  /** Rejects with an `ImportRunError` for what the operator can mend, and with the cause of anything else. */
  result: Promise<ImportTaskResult>
  /** Asks to end after the current chunk. */
  stop(): void
  /** Ends at once, wherever it is. */
  kill(): Promise<unknown>
}

/** Starts a run; `onProgress` is called after every chunk. */
export type StartImport = (task: ImportTask, onProgress: (progress: JobProgress) => void) => RunningImport

/** Why a run failed, in a sentence for the operator. */
export class ImportRunError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ImportRunError'
  }
}
