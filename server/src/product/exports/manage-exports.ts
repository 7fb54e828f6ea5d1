import { type Access, authorize } from '../../customers/auth/access.ts'
import { recordAudit } from '../../customers/auth/audit.ts'
import type { CallerContext } from '../../customers/auth/caller.ts'
import { type Pool, type Queryable, transact } from '../../foundation/db/pool.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { readListPage } from '../../foundation/kernel/list-pages.ts'
import { scopesOfKind } from './export-query.ts'
import { describeExport, type ExportRow } from './export-row.ts'
import { deleteFile, markExpired } from './file-queries.ts'
import { lockExport, selectExport, selectExports } from './queries.ts'
import { endAndRelease } from './reservation.ts'
import { type Export, type ExportRequest, exportIdPattern } from './schema.ts'

export interface ExportsContext extends CallerContext {
  ids: IdSealer
}

const ofKeys = { scope: 'exports:manage' } as const

/** What an export delivers is for keys that may see it. */
const ofRows = {
  ...ofKeys,
  scopeSets: {
    stores: [ofKeys.scope, scopesOfKind.stores],
    previews: [ofKeys.scope, scopesOfKind.previews],
    contacts: [ofKeys.scope, scopesOfKind.contacts],
  },
} as const

export const readingExports = { key: ofKeys, member: { role: 'viewer' }, kind: 'read' } as const satisfies Access

export const endingExports = { key: ofKeys, member: { role: 'member' }, kind: 'edit' } as const satisfies Access

export const downloadingExports = { key: ofRows, member: { role: 'member' }, kind: 'exit' } as const satisfies Access

/** A file with channels asks a person for a fresh sign-in; every file is in the audit log. */
export const creatingExports = {
  key: ofRows,
  member: { role: 'member', needsAccess: true, spends: ['contact_credits', 'store_exports'] },
  kind: (body) => ((body as Partial<ExportRequest> | null | undefined)?.kind === 'contacts' ? 'powerful' : 'exit'),
} as const satisfies Access

/** Adds what was done with an export to the audit log: what it delivers, and how much. */
export function auditExport(
  db: Queryable,
  ctx: ExportsContext,
  action: `export.${string}`,
  { id, mode, kind }: Pick<ExportRow, 'id' | 'mode' | 'kind'>,
  figures: Readonly<Record<string, number>>,
): Promise<void> {
  const target = ctx.ids.seal('export', id, mode)
  return recordAudit(db, ctx, { accountId: ctx.caller.accountId, action, target, details: { kind, ...figures } })
}

const idPattern = new RegExp(exportIdPattern)

/** The export with a public id. Throws if it is no id, and if the account has no such export in this mode. */
export async function requireExport({ db, caller, ids }: ExportsContext, id: string): Promise<ExportRow> {
  if (!idPattern.test(id)) throw new Refusal('invalid_export_id', 'This is not the id of an export.', { param: 'id' })
  const { accountId, mode } = caller
  const opened = ids.open(id)
  const isExport = opened?.kind === 'export' && opened.mode === mode
  const row = isExport ? await selectExport(db, { accountId, id: opened.value }, mode) : undefined
  if (!row) throw new Refusal('export_not_found', 'There is no such export.', { param: 'id' })
  return row
}

export async function getExport(ctx: ExportsContext, id: string): Promise<Export & { request_id: string }> {
  authorize(ctx, readingExports)
  return replyOf(ctx, await requireExport(ctx, id))
}

function replyOf({ ids, now, requestId }: ExportsContext, row: ExportRow) {
  return { ...describeExport(row, ids, now), request_id: requestId }
}

/** A page of the account's exports in this mode, the newest first. */
export async function listExports(
  ctx: ExportsContext & { cursors: CursorSealer },
  query: { limit?: number; cursor?: string },
) {
  authorize(ctx, readingExports)
  const { accountId, mode } = ctx.caller
  const { rows, hasMore, nextCursor } = await readListPage<ExportRow>(
    { ...ctx, accountId, mode },
    {
      list: 'exports',
      filters: {},
      ...query,
      positionOf: ({ createdAt, id }) => ({ at: createdAt, row: id }),
      select: (after, limit) => selectExports(ctx.db, { accountId, mode, after, limit }),
    },
  )
  return {
    object: 'list' as const,
    data: rows.map((row) => describeExport(row, ctx.ids, ctx.now)),
    has_more: hasMore,
    next_cursor: nextCursor,
    request_id: ctx.requestId,
  }
}

/**
 * Ends an export at once, with a file of what was paid, and releases what it has reserved. The chunk that is being written is
 * rolled back. One that has ended stays as it is.
 */
export async function cancelExport(
  ctx: ExportsContext & { db: Pool },
  id: string,
): Promise<Export & { request_id: string }> {
  authorize(ctx, endingExports)
  const found = await requireExport(ctx, id)
  if (found.finishedAt !== null) return replyOf(ctx, found)
  const row = await transact(ctx.db, async (client) => {
    const locked = (await lockExport(client, found))!
    if (locked.finishedAt === null) {
      await endAndRelease(client, locked, { status: 'canceled', at: ctx.now })
      await auditExport(client, ctx, 'export.canceled', locked, { rows: locked.rows })
    }
    return (await lockExport(client, found))!
  })
  return replyOf(ctx, row)
}

/**
 * Deletes the file of an export at once, and ends it if it still runs. The export stays in the list as `expired`, with what it has
 * cost.
 */
export async function deleteExport(
  ctx: ExportsContext & { db: Pool },
  id: string,
): Promise<Export & { request_id: string }> {
  authorize(ctx, endingExports)
  const found = await requireExport(ctx, id)
  const row = await transact(ctx.db, async (client) => {
    const locked = (await lockExport(client, found))!
    if (locked.status === 'expired') return locked
    if (locked.finishedAt === null) await endAndRelease(client, locked, { status: 'expired', at: ctx.now })
    else await markExpired(client, locked)
    await deleteFile(client, locked)
    await auditExport(client, ctx, 'export.deleted', locked, { rows: locked.rows, bytes: locked.bytes })
    return (await lockExport(client, found))!
  })
  return replyOf(ctx, row)
}
