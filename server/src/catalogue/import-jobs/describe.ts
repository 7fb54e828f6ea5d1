import type { UserContext } from '../../customers/auth/signed-in.ts'
import { selectUserNames } from '../../customers/usage/queries.ts'
import type { ConnectionPool } from '../../foundation/db/pool.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { ofInstallation, type PageQuery, readListPage } from '../../foundation/kernel/list-pages.ts'
import { rejectsFormats } from '../imports/records/rejects-formats.ts'
import type { RecordsOf } from '../imports/records/report.ts'
import { type ImportJobContext, importLane } from './context.ts'
import type { ImportFiles } from './files.ts'
import type { ImportJob } from './job.ts'
import { selectImportJobs } from './queries.ts'
import type { ImportRunner } from './run/runner.ts'
import type { ImportListReply, ImportReply } from './schema.ts'

export interface ImportServices {
  db: ConnectionPool
  ids: IdSealer
  cursors: CursorSealer
  importFiles: ImportFiles
  importRunner: ImportRunner
}

export function importContextOf(ctx: UserContext, { db, importFiles }: ImportServices): ImportJobContext {
  return { actor: ctx.actor, now: ctx.now, db: importLane(db), files: importFiles }
}

/** Lists imports, the newest first. */
export async function listImports(
  ctx: UserContext,
  services: ImportServices,
  { limit, cursor }: PageQuery,
): Promise<ImportListReply> {
  const page = await readListPage<ImportJob>(
    { ...ctx, cursors: services.cursors, ...ofInstallation },
    {
      list: 'imports',
      filters: {},
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      positionOf: ({ id, createdAt }) => ({ at: createdAt, row: id }),
      select: (after, count) => selectImportJobs(ctx.db, after?.row ?? null, count),
    },
  )
  return {
    object: 'list',
    data: await describeJobs(services, page.rows),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
    request_id: ctx.requestId,
  }
}

/** An import with the options of its last run. */
export async function describeImport(ctx: UserContext, services: ImportServices, job: ImportJob): Promise<ImportReply> {
  const [described] = await describeJobs(services, [job])
  const map = await services.importFiles.readMapping(job.id)
  const options = { ...job.options, ...(Object.keys(map).length > 0 && { map }) }
  return { object: 'import', import: described!, options, request_id: ctx.requestId }
}

async function describeJobs(
  { db, ids, importRunner }: ImportServices,
  jobs: readonly ImportJob[],
): Promise<ImportListReply['data']> {
  // An upload may have taken longer than the statements of its request may.
  const names = await selectUserNames(importLane(db), [...new Set(jobs.map(({ userId }) => userId))])
  return jobs.map((job) => {
    const progress = importRunner.progressOf(job.id) ?? job.progress
    return {
      id: job.id,
      kind: job.kind,
      file_name: job.fileName,
      bytes: job.bytes,
      received: job.received,
      modified_at: job.fileModifiedAt?.toISOString() ?? null,
      state: job.state,
      run: job.run,
      stopping: job.stopRequested && (job.state === 'checking' || job.state === 'importing'),
      progress: progress && {
        read: progress.read,
        rejected: progress.rejected,
        bytes_read: progress.bytesRead,
        bytes_total: progress.bytesTotal,
      },
      report: job.report,
      error: job.error,
      by: { id: ids.seal('person', job.userId), name: names.get(job.userId) ?? 'somebody who was removed' },
      created_at: job.createdAt.toISOString(),
      started_at: job.startedAt?.toISOString() ?? null,
      ended_at: job.endedAt?.toISOString() ?? null,
      has_file: job.sourceRemovedAt === null,
      ...describeRejects(job),
    }
  })
}

function describeRejects({ rejects, rejectsRemovedAt }: ImportJob) {
  const files = rejectsRemovedAt === null ? (rejects ?? {}) : {}
  const [name] = Object.values(files)
  const format = rejectsFormats.find((extension) => name?.endsWith(`.${extension}`))
  return { rejects: Object.keys(files) as RecordsOf[], rejects_format: format ?? null }
}
