import type { badValueRules, ImportKindName, ImportReport, RecordsOf } from '../imports/records/report.ts'
import type { ImportJobOptions, ImportRun } from './options.ts'

/**
 * `uploading` → `ready` → (`waiting` →) `checking` → `ready`, or `importing` → `done`, `stopped`, `failed`, `interrupted`.
 * From these four an import can run again while its file is there.
 */
export const importStates = [
  'uploading',
  'ready',
  'waiting',
  'checking',
  'importing',
  'done',
  'stopped',
  'failed',
  'interrupted',
] as const
export type ImportState = (typeof importStates)[number]

export interface JobProgress {
  read: number
  rejected: number
  bytesRead: number
  bytesTotal: number
}

/** Names of the files with rejects, by what they are of. */
export type JobRejects = Partial<Record<RecordsOf, string>>

export interface JobReport {
  run: ImportRun
  on_bad_value: (typeof badValueRules)[number]
  parts: ImportReport[]
}

export interface ImportJob {
  id: number
  server: string
  userId: number
  kind: ImportKindName
  fileName: string
  fileModifiedAt: Date | null
  bytes: number
  received: number
  state: ImportState
  run: ImportRun | null
  options: Omit<ImportJobOptions, 'map'>
  stopRequested: boolean
  progress: JobProgress | null
  report: JobReport | null
  rejects: JobRejects | null
  error: string | null
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
  sourceRemovedAt: Date | null
  rejectsRemovedAt: Date | null
}

/** Whether a run is waiting or running. */
export function isRunning({ state }: Pick<ImportJob, 'state'>): boolean {
  return state === 'waiting' || state === 'checking' || state === 'importing'
}

/** Whether the whole file is there and nothing runs, so that a run may begin. */
export function canRun(job: Pick<ImportJob, 'state' | 'sourceRemovedAt'>): boolean {
  return job.sourceRemovedAt === null && job.state !== 'uploading' && !isRunning(job)
}
