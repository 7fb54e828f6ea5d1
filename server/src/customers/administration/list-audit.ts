import type { Queryable } from '../../foundation/db/pool.ts'
import type { CursorSealer } from '../../foundation/kernel/cursor-sealer.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import { readListPage } from '../../foundation/kernel/list-pages.ts'
import { authorize } from '../auth/access.ts'
import type { MemberContext } from '../auth/signed-in.ts'
import { type AccountAuditRow, selectAuditLog, selectNamesOfUsers } from './audit-queries.ts'
import { readAudit } from './context.ts'
import type { AuditListReply, AuditQuery } from './schema.ts'

/** A page of the account's audit log, newest first: who did what, when, from where. */
export async function listAudit(
  ctx: MemberContext & { ids: IdSealer; cursors: CursorSealer },
  { person: user, subject, limit, cursor }: AuditQuery,
): Promise<Omit<AuditListReply, 'object' | 'request_id'>> {
  authorize(ctx, readAudit)
  const { account, ids, db } = ctx
  const opened = user === undefined ? null : ids.open(user)
  const page = await readListPage<AccountAuditRow>(
    { ...ctx, accountId: account.id, mode: 'live' },
    {
      list: 'audit',
      filters: { person: user, subject },
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      positionOf: ({ at, entry }) => ({ at, row: entry }),
      select: (after, count) =>
        selectAuditLog(db, {
          accountId: account.id,
          // No user has the number 0.
          userId: user === undefined ? null : opened?.kind === 'person' ? opened.value : 0,
          subject: subject ?? null,
          before: after?.row ?? null,
          limit: count,
        }),
    },
  )
  const names = await nameTargets(ctx, page.rows)
  return {
    data: page.rows.map((row) => ({
      object: 'audit_entry',
      id: String(row.entry),
      at: row.at.toISOString(),
      action: row.action,
      person:
        row.person_id === null || row.by_operator
          ? null
          : { id: ids.seal('person', row.person_id), name: row.person_name, email: row.person_email },
      by_operator: row.by_operator,
      actor: row.actor,
      key: row.key_id === null ? null : { id: ids.seal('key', row.key_id), name: row.key_name },
      target: row.target === null ? null : { id: row.target, name: names.get(row.target) ?? null },
      details: row.details,
      // Who runs the installation, and from where, is no business of its customers; a removed user may have been one.
      address: row.by_operator || isRemoved(row) ? null : row.address,
    })),
    has_more: page.hasMore,
    next_cursor: page.nextCursor,
  }
}

function isRemoved({ person_id, person_email }: AccountAuditRow): boolean {
  return person_id !== null && person_email === null
}

/** The names of the users that entries are about, by public id. */
async function nameTargets(
  { db, ids }: { db: Queryable; ids: IdSealer },
  rows: readonly AccountAuditRow[],
): Promise<Map<string, string>> {
  const users = new Map<number, string>()
  for (const { target } of rows) {
    const opened = target?.startsWith('per_') ? ids.open(target) : null
    if (opened?.kind === 'person') users.set(opened.value, target!)
  }
  const names = users.size > 0 ? await selectNamesOfUsers(db, [...users.keys()]) : new Map<number, string>()
  return new Map([...names].map(([id, name]) => [users.get(id)!, name]))
}
