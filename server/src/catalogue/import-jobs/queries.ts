import type { Queryable } from '../../foundation/db/pool.ts'
import type { ImportKindName } from '../imports/records/report.ts'
import type { ImportJob, ImportState, JobProgress, JobRejects, JobReport } from './job.ts'
import type { ImportRun } from './options.ts'

const columns = `id, server, person_id as "userId", kind, file_name as "fileName",
  file_modified_at as "fileModifiedAt", bytes, received, state, run, options, stop_requested as "stopRequested",
  progress, report, rejects, error, created_at as "createdAt", started_at as "startedAt",
  ended_at as "endedAt", source_removed_at as "sourceRemovedAt", rejects_removed_at as "rejectsRemovedAt"`

interface NewImportJob {
  server: string
  userId: number
  kind: ImportKindName
  fileName: string
  fileModifiedAt: Date | null
  bytes: number
  at: Date
}

export async function insertImportJob(db: Queryable, job: NewImportJob): Promise<ImportJob> {
  const { rows } = await db.query<ImportJob>(
    `
insert into import_jobs (server, person_id, kind, file_name, file_modified_at, bytes, state, created_at, touched_at)
values ($1::text, $2::bigint, $3::text, $4::text, $5::timestamptz, $6::bigint, 'uploading', $7::timestamptz, $7::timestamptz)
returning ${columns}`,
    [job.server, job.userId, job.kind, job.fileName, job.fileModifiedAt, job.bytes, job.at],
  )
  return rows[0]!
}

export async function selectImportJob(db: Queryable, id: number): Promise<ImportJob | undefined> {
  const { rows } = await db.query<ImportJob>(`select ${columns} from import_jobs where id = $1::bigint`, [id])
  return rows[0]
}

/** Imports with an id below `beforeId`, the newest first. */
export async function selectImportJobs(db: Queryable, beforeId: number | null, limit: number): Promise<ImportJob[]> {
  const { rows } = await db.query<ImportJob>(
    `
select ${columns}
from import_jobs
where $1::bigint is null or id < $1::bigint
order by id desc
limit $2::integer`,
    [beforeId, limit],
  )
  return rows
}

/** Moves the offset of an upload; the last byte makes the import ready. Undefined if the offset is another one by now. */
export async function advanceUpload(
  db: Queryable,
  { id, from, to, at }: { id: number; from: number; to: number; at: Date },
): Promise<ImportJob | undefined> {
  const { rows } = await db.query<ImportJob>(
    `
update import_jobs
set received = $3::bigint, touched_at = $4::timestamptz,
    state = case when bytes = $3::bigint then 'ready' else 'uploading' end
where id = $1::bigint and received = $2::bigint and state = 'uploading' and source_removed_at is null
returning ${columns}`,
    [id, from, to, at],
  )
  return rows[0]
}

/** Queues a run of an import whose whole file is there. Undefined if something runs already, or the file is gone. */
export async function queueImportRun(
  db: Queryable,
  { id, run, options, at }: { id: number; run: ImportRun; options: ImportJob['options']; at: Date },
): Promise<ImportJob | undefined> {
  const { rows } = await db.query<ImportJob>(
    `
update import_jobs
set state = 'waiting', run = $2::text, options = $3::jsonb, queued_at = $4::timestamptz, touched_at = $4::timestamptz,
    started_at = null, ended_at = null, stop_requested = false, progress = null, error = null
where id = $1::bigint and source_removed_at is null and state not in ('uploading', 'waiting', 'checking', 'importing')
returning ${columns}`,
    [id, run, JSON.stringify(options), at],
  )
  return rows[0]
}

/** Takes the run that has waited longest on this server. */
export async function claimWaitingRun(db: Queryable, server: string, at: Date): Promise<ImportJob | undefined> {
  const { rows } = await db.query<ImportJob>(
    `
update import_jobs
set state = case run when 'check' then 'checking' else 'importing' end, started_at = $2::timestamptz
where id = (select id from import_jobs where server = $1::text and state = 'waiting' order by queued_at, id limit 1)
  and state = 'waiting'
returning ${columns}`,
    [server, at],
  )
  return rows[0]
}

/** Writes the progress of a run. Returns true if a stop was requested. */
export async function updateImportProgress(db: Queryable, id: number, progress: JobProgress): Promise<boolean> {
  const { rows } = await db.query<{ stop: boolean }>(
    'update import_jobs set progress = $2::jsonb where id = $1::bigint returning stop_requested as stop',
    [id, JSON.stringify(progress)],
  )
  return rows[0]?.stop ?? false
}

/** Asks to stop: a waiting run ends at once, a running one when its runner sees it. Undefined if nothing runs. */
export async function requestImportStop(db: Queryable, id: number, at: Date): Promise<ImportJob | undefined> {
  const { rows } = await db.query<ImportJob>(
    `
update import_jobs
set stop_requested = true, touched_at = $2::timestamptz,
    ended_at = case state when 'waiting' then $2::timestamptz end,
    state = case when state <> 'waiting' then state when run = 'check' then 'ready' else 'stopped' end
where id = $1::bigint and state in ('waiting', 'checking', 'importing')
returning ${columns}`,
    [id, at],
  )
  return rows[0]
}

export interface EndedRun {
  id: number
  state: ImportState
  /** Null keeps the report before. */
  report: JobReport | null
  rejects: JobRejects | null
  error: string | null
  /** Whether the run got so far that it has rejects of its own, or none. */
  hasRun: boolean
  at: Date
}

/** Ends a run. Returns whether it was still running. */
export async function endImportRun(db: Queryable, { id, state, report, ...rest }: EndedRun): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update import_jobs
set state = $2::text, report = coalesce($3::jsonb, report), error = $4::text, ended_at = $5::timestamptz,
    touched_at = $5::timestamptz, progress = null, rejects = case when $7::boolean then $6::jsonb else rejects end,
    rejects_removed_at = case when $7::boolean then null else rejects_removed_at end
where id = $1::bigint and state in ('checking', 'importing')`,
    [
      ...[id, state, report && JSON.stringify(report), rest.error, rest.at],
      ...[rest.rejects && JSON.stringify(rest.rejects), rest.hasRun],
    ],
  )
  return rowCount === 1
}

/** Marks runs of a server that no process runs any more. An interrupted check is simply not done. */
export async function markInterruptedRuns(db: Queryable, server: string, at: Date): Promise<number> {
  const { rowCount } = await db.query(
    `
update import_jobs
set state = case state when 'checking' then 'ready' else 'interrupted' end, ended_at = $2::timestamptz, progress = null
where server = $1::text and state in ('checking', 'importing')`,
    [server, at],
  )
  return rowCount ?? 0
}

/** Records that files were removed. An import that never ran ends with its file. */
export async function markFilesRemoved(
  db: Queryable,
  { id, source, rejects, error, at }: { id: number; source: boolean; rejects: boolean; error: string | null; at: Date },
): Promise<ImportJob | undefined> {
  const { rows } = await db.query<ImportJob>(
    `
update import_jobs
set source_removed_at = case when $2::boolean then coalesce(source_removed_at, $5::timestamptz) else source_removed_at end,
    rejects_removed_at = case when $3::boolean and rejects is not null
      then coalesce(rejects_removed_at, $5::timestamptz) else rejects_removed_at end,
    ended_at = case when $2::boolean then coalesce(ended_at, $5::timestamptz) else ended_at end,
    error = case when $2::boolean and state in ('uploading', 'ready') then $4::text else error end,
    state = case when $2::boolean and state in ('uploading', 'ready') then 'stopped' else state end
where id = $1::bigint and state not in ('waiting', 'checking', 'importing')
returning ${columns}`,
    [id, source, rejects, error, at],
  )
  return rows[0]
}

export interface ExpiredFiles {
  id: number
  /** Which files are over: the uploaded one, the rejects. */
  source: boolean
  rejects: boolean
}

/** Imports of a server with files that are kept no longer. */
export async function selectExpiredFiles(
  db: Queryable,
  server: string,
  before: { ended: Date; abandoned: Date; rejects: Date },
): Promise<ExpiredFiles[]> {
  const { rows } = await db.query<ExpiredFiles>(
    `
select id, source, old_rejects as rejects
from (
  select id, source_removed_at is null
           and touched_at < case when state in ('uploading', 'ready') then $3::timestamptz else $2::timestamptz end as source,
         rejects is not null and rejects_removed_at is null and ended_at < $4::timestamptz as old_rejects
  from import_jobs
  where server = $1::text and state not in ('waiting', 'checking', 'importing')
) files
where source or old_rejects
limit 100`,
    [server, before.ended, before.abandoned, before.rejects],
  )
  return rows
}
