import { type AuditEntry, recordAuditEntry } from '../../auth/audit.ts'
import { includesRole, type Role } from '../../auth/roles.ts'
import type { MemberContext, PersonContext } from '../../auth/signed-in.ts'
import type { Queryable } from '../../db/pool.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import { lockMembers, selectRole } from '../../people/member-queries.ts'

export interface AccountContext extends MemberContext {
  ids: IdSealer
}

export interface OwnContext extends PersonContext {
  ids: IdSealer
}

interface Change {
  action: AuditEntry['action']
  target?: string
  details?: NonNullable<AuditEntry['details']>
}

/** Records a change of the account, in its transaction. */
export function recordAccountChange(db: Queryable, ctx: MemberContext, change: Change): Promise<void> {
  return recordAuditEntry(db, { accountId: ctx.account.id, ...originOf(ctx), ...change })
}

/** Records what a person changed about themselves, in its transaction. */
export function recordOwnChange(db: Queryable, ctx: PersonContext, change: Change): Promise<void> {
  return recordAuditEntry(db, { accountId: null, ...originOf(ctx), ...change })
}

function originOf({ person, address, now }: PersonContext) {
  return { personId: person.id, address, at: now }
}

/**
 * Makes changes of the account's members run one after another until the end of the transaction, and reads the role of
 * who is asking again: it may have changed since the request was admitted.
 */
export async function lockMembersAs(db: Queryable, ctx: MemberContext): Promise<Role> {
  await lockMembers(db, ctx.account.id)
  const role = await selectRole(db, ctx.account.id, ctx.person.id)
  if (!role) throw new Refusal('account_not_found', 'There is no such account, or you are no member of it.')
  return role
}

/** Throws unless the role may manage people with the other one: admins all but owners, owners everybody. */
export function requireMayManage(role: Role, managed: Role): void {
  const needed = managed === 'owner' ? 'owner' : 'admin'
  if (includesRole(role, needed)) return
  throw new Refusal('insufficient_role', `This needs the role ${needed}; yours is ${role}.`, { param: needed })
}
