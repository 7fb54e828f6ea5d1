import type { Pool, Queryable } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import type { Access } from '../../auth/access.ts'
import type { ActorContext } from '../../auth/actor.ts'
import { includesRole, type Role } from '../../auth/roles.ts'
import { lockMembers, selectRole } from './queries.ts'

export interface MembersContext extends ActorContext {
  db: Pool
  ids: IdSealer
}

export const readMembers: Access = { member: { role: 'viewer' }, kind: 'read' }
export const manageMembers: Access = { member: { role: 'admin' }, kind: 'powerful' }
export const leaveMembers: Access = { member: { role: 'viewer' }, kind: 'edit' }
export const readInvitations: Access = { member: { role: 'admin' }, kind: 'read' }

/** Members and open invitations of an account together. */
export const maxMembers = 500

/**
 * Makes changes of the account's members run one after another until the end of the transaction. Returns the role of the
 * member who asks, read again: it may have changed since the request was admitted. Null for the command line.
 */
export async function lockMembersAs(
  db: Queryable,
  { actor }: Pick<MembersContext, 'actor'>,
  accountId: number,
): Promise<Role | null> {
  await lockMembers(db, accountId)
  if (actor.kind !== 'member') return null
  const role = await selectRole(db, accountId, actor.userId)
  if (!role) throw new Refusal('account_not_found', 'There is no such account, or you are no member of it.')
  return role
}

/** Throws unless the role may manage users with the other one: admins all but owners, owners and the command line everybody. */
export function requireMayManage(role: Role | null, managed: Role): void {
  const needed = managed === 'owner' ? 'owner' : 'admin'
  if (role === null || includesRole(role, needed)) return
  throw new Refusal('insufficient_role', `This needs the role ${needed}; yours is ${role}.`, { param: needed })
}
