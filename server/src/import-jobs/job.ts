import type { ImportJobOptions, ImportKindName, ImportRun } from './options.ts'

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

/** Records of a file that have the same fault. */
export interface JobProblem {
  field: string
  reason: string
  count: number
  /** Line of the first one; its value for stores only. */
  line: number
  value: string | null
  hint: string | null
}

/** The counts of the stores, or of the contacts, of a file. */
export interface JobReportPart {
  of: 'stores' | 'contacts'
  read: number
  inserted: number
  updated: number
  unchanged: number
  rejected: number
  /** Values left out, where bad values are dropped. */
  dropped: number
  /** Rejected records that would be taken if bad values were dropped. */
  would_take_with_drop: number
  seconds: number
  problems: JobProblem[]
  /** What is worth knowing though nothing was refused. Missing in reports of earlier versions. */
  notices?: JobProblem[]
}

/** Names of the files with rejects, by what they are of. */
export type JobRejects = Partial<Record<JobReportPart['of'], string>>

export interface JobReport {
  run: ImportRun
  on_bad_value: 'reject' | 'drop'
  parts: JobReportPart[]
}

export interface ImportJob {
  id: number
  server: string
  personId: number
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
