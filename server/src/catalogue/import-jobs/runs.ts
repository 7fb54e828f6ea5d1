import type { ReadStream } from 'node:fs'
import { basename } from 'node:path'
import { authorize } from '../../customers/auth/access.ts'
import { transact } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { RecordsOf } from '../imports/records/report.ts'
import {
  auditImport,
  type ImportJobContext,
  preparingImports,
  requireImport,
  requireImportHere,
  runningImports,
  takingRejects,
} from './context.ts'
import { canRun, type ImportJob, isRunning } from './job.ts'
import type { ImportJobOptions, ImportRun } from './options.ts'
import { markFilesRemoved, queueImportRun, requestImportStop } from './queries.ts'

/** Queues a check or an import of an uploaded file, also again. */
export async function queueRun(
  ctx: ImportJobContext,
  id: number,
  run: ImportRun,
  { map = {}, ...options }: ImportJobOptions,
): Promise<ImportJob> {
  authorize(ctx, run === 'import' ? runningImports : preparingImports)
  const job = await requireImportHere(ctx, id)
  if (!canRun(job)) throw notReadyError(job)
  // The headings of columns may be a person's data, if the file has no heading: they stay beside the file.
  await ctx.files.writeMapping(id, map)
  return transact(ctx.db, async (client) => {
    const queued = await queueImportRun(client, { id, run, options, at: ctx.now })
    if (!queued) throw notReadyError(await requireImport(client, id))
    if (run === 'import') await auditImport(ctx, client, 'started', queued)
    return queued
  })
}

/** Asks a run to stop. A running one ends after its current chunk. */
export async function stopRun(ctx: ImportJobContext, id: number): Promise<ImportJob> {
  authorize(ctx, preparingImports)
  return transact(ctx.db, async (client) => {
    const stopped = await requestImportStop(client, id, ctx.now)
    if (!stopped) return requireImport(client, id)
    if (stopped.run === 'import') await auditImport(ctx, client, 'stopped', stopped)
    return stopped
  })
}

/** Removes the files of an import that does not run. One that was not imported ends with that. */
export async function removeFiles(ctx: ImportJobContext, id: number): Promise<ImportJob> {
  authorize(ctx, preparingImports)
  await requireImportHere(ctx, id)
  return transact(ctx.db, async (client) => {
    const change = {
      id,
      source: true,
      rejects: true,
      error: 'Its file was removed before it was imported.',
      at: ctx.now,
    }
    const job = await markFilesRemoved(client, change)
    if (!job) throw notReadyError(await requireImport(client, id))
    await auditImport(ctx, client, 'files_removed', job)
    // Before the commit: the row still keeps a run from starting.
    await ctx.files.remove(job, change)
    return job
  })
}

/** The rejects of the last import, as the command writes them. Who takes them is written to the audit log. */
export async function openRejects(
  ctx: ImportJobContext,
  id: number,
  of: RecordsOf,
): Promise<{ content: ReadStream; bytes: number; name: string }> {
  authorize(ctx, takingRejects)
  const job = await requireImportHere(ctx, id)
  const name = job.rejectsRemovedAt === null ? job.rejects?.[of] : undefined
  const file = name === undefined ? null : await ctx.files.openRejects(id, name)
  if (!file) throw new Refusal('import_not_found', 'This import has no such rejects, or they were removed.')
  const rows = job.report?.parts.find((part) => part.of === of)?.rejected ?? null
  await auditImport(ctx, ctx.db, 'rejects_downloaded', job, { of, rows })
  // Called as the command would call it.
  return { ...file, name: name!.replace(basename(ctx.files.sourceOf(job)), () => job.fileName) }
}

function notReadyError(job: ImportJob): Refusal {
  if (isRunning(job)) return new Refusal('import_not_ready', 'This import is running; stop it first.')
  if (job.sourceRemovedAt)
    return new Refusal('import_not_ready', 'The file of this import was removed; upload it again.')
  return new Refusal('import_not_ready', 'The file has not arrived completely; continue the upload first.')
}
