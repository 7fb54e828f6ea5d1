/** What bounds the files that accounts keep: their number and bytes by account, and the disk of the database. */
import type { Caller, CallerContext } from '../../customers/auth/caller.ts'
import type { KeptExports } from '../../customers/usage/account-usage.ts'
import type { Client } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer, Mode } from '../../foundation/kernel/ids.ts'
import { formatDay } from '../../foundation/kernel/time.ts'
import { readAvailableBytes } from '../../foundation/runtime/free-space.ts'
import { countKeptFiles, type OldFile, selectOldestFiles } from './file-queries.ts'
import type { FileBounds } from './queries.ts'

export function fileBoundsOf({ entitlement: { limits } }: Caller): FileBounds {
  return { files: limits.ready_exports, bytes: limits.ready_export_bytes }
}

/** A file of a million rows of people, and as much again for the database's own log. */
const leastFreeBytes = 1_000_000_000
const diskRetrySeconds = 600

/** Where the service's own PostgreSQL keeps its data; a `databaseUrl` names another one. */
export interface DatabasePlace {
  databaseUrl: string | null
  dataDir: string
}

/** Refuses an export while the disk of the service's own PostgreSQL is nearly full. How full another one is cannot be read here. */
export async function requireDiskSpace({ databaseUrl, dataDir }: DatabasePlace): Promise<void> {
  if (databaseUrl !== null) return
  if ((await readAvailableBytes(dataDir)) >= leastFreeBytes) return
  throw new Refusal(
    'service_unavailable',
    'The disk of the service is nearly full, so no export can start; tell its operator, and try again later.',
    { retryAfterSeconds: diskRetrySeconds },
  )
}

interface RefusalContext {
  caller: Caller
  ids: IdSealer
  now: Date
}

const namedFiles = 3

/** The refusal of an export if the account keeps as many files, or bytes, as it may; undefined if it does not. */
export async function findFileRefusal(client: Client, ctx: RefusalContext): Promise<Refusal | undefined> {
  const bounds = fileBoundsOf(ctx.caller)
  const kept = await countKeptFiles(client, ctx.caller)
  if (kept.files < bounds.files && kept.bytes < bounds.bytes) return undefined
  const full =
    kept.files >= bounds.files
      ? `This account keeps ${kept.files} files of exports, and ${bounds.files} are the most that it may`
      : `The files of this account’s exports take ${formatMegabytes(kept.bytes)}, and ${formatMegabytes(bounds.bytes)} are the most that they may`
  const oldest = await selectOldestFiles(client, ctx.caller, namedFiles)
  return new Refusal('rate_limit_exceeded', `${full}. ${describeWayOut(ctx, oldest)}`, {
    param: 'exports',
    retryAfterSeconds: secondsUntil(oldest[0]?.expiresAt ?? null, ctx.now),
  })
}

function describeWayOut({ ids, caller }: RefusalContext, oldest: readonly OldFile[]): string {
  if (oldest.length === 0) return 'Its plan, or its operator, sets this limit.'
  const named = oldest.map(({ id, createdAt }) => `${ids.seal('export', id, caller.mode)} of ${formatDay(createdAt)}`)
  return `Delete files that are no longer needed, with DELETE /exports/{id} or in the console; the oldest: ${named.join(', ')}.`
}

function formatMegabytes(bytes: number): string {
  return `${Math.round(bytes / 100_000) / 10} MB`
}

/** Nothing is known about when an export that is being written ends. */
const unknownSeconds = 60

function secondsUntil(time: Date | null, now: Date): number {
  return time ? Math.max(1, Math.ceil((time.getTime() - now.getTime()) / 1_000)) : unknownSeconds
}

/** What an account keeps of its exports, beside what its plan allows. */
export async function readKeptExports({ db, caller }: CallerContext, mode: Mode): Promise<KeptExports> {
  const kept = await countKeptFiles(db, { accountId: caller.accountId, mode })
  const bounds = fileBoundsOf(caller)
  return { ...kept, files_limit: bounds.files, bytes_limit: bounds.bytes }
}
