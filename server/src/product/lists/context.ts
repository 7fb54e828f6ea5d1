import type { Access } from '../../customers/auth/access.ts'
import { type AuditEntry, recordAudit } from '../../customers/auth/audit.ts'
import type { CallerContext } from '../../customers/auth/caller.ts'
import type { Pool, Queryable } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { type SearchContext, type SearchServices, searchContext } from '../exclusion/exclude.ts'
import type { ListRow } from './queries.ts'
import type { List } from './schema.ts'

export interface ListsContext extends SearchContext {
  db: Pool
}

export type ListsServices = SearchServices

export function listsContext(ctx: CallerContext & { db: Pool }, services: ListsServices): ListsContext {
  return { ...searchContext(ctx, services), db: ctx.db }
}

export const readingLists = {
  key: { scope: 'lists:manage' },
  member: { role: 'viewer', needsAccess: true },
  kind: 'read',
} as const satisfies Access

export const editingLists = {
  key: { scope: 'lists:manage' },
  member: { role: 'member', needsAccess: true },
  kind: 'edit',
} as const satisfies Access

/** Items can be named, or be the first results of a search, which needs its scope too. */
export const changingItems = {
  ...editingLists,
  key: {
    scope: 'lists:manage',
    scopeSets: {
      'domains and ids': ['lists:manage'],
      'a search of stores': ['lists:manage', 'stores:read'],
      'a search of contacts': ['lists:manage', 'contacts:search'],
    },
  },
} as const satisfies Access

/** Adds what was done with a list to the audit log, in its transaction. */
export function auditList(
  db: Queryable,
  ctx: ListsContext,
  action: `list.${string}`,
  { id, name, kind }: ListRow,
  details: AuditEntry['details'] = {},
): Promise<void> {
  const { accountId, mode } = ctx.caller
  const target = ctx.ids.seal('list', id, mode)
  return recordAudit(db, ctx, { accountId, action, target, details: { name, kind, ...details } })
}

const shape = /^lst_(live|test)_[A-Za-z]{16}$/

/** The number of a list of the caller's mode. Whether the account has it is for the statement to find out. */
export function openListId({ ids, caller }: ListsContext, id: string): number {
  if (!shape.test(id))
    throw new Refusal(
      'invalid_list_id',
      'A list id is the id of a list, unchanged: lst_live_ or lst_test_ and 16 letters.',
      { param: 'id' },
    )
  const opened = ids.open(id)
  if (opened?.kind !== 'list' || opened.mode !== caller.mode) throw listNotFound()
  return opened.value
}

/** The same for unknown and for foreign lists: it must not confirm a list of another account. */
export function listNotFound(): Refusal {
  return new Refusal('list_not_found', 'There is no such list in this account and mode.', { param: 'id' })
}

export function describeList({ ids, caller }: ListsContext, row: ListRow): List {
  return {
    id: ids.seal('list', row.id, caller.mode),
    object: row.kind === 'stores' ? 'list_of_stores' : 'list_of_contacts',
    name: row.name,
    kind: row.kind,
    description: row.description,
    items: row.items,
    pending: row.pending,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
