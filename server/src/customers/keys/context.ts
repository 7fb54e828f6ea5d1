import type { Pool, Queryable } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import type { Account } from '../accounts/account.ts'
import type { PlanFile } from '../accounts/plans.ts'
import type { Access } from '../auth/access.ts'
import type { ActorContext } from '../auth/actor.ts'
import type { Scope } from '../auth/caller.ts'
import { accessRequiredError, billingPageOf } from '../auth/key-refusals.ts'
import { includesRole } from '../auth/roles.ts'
import { type KeyRow, lockKey } from './queries.ts'
import type { KeyItem } from './schema.ts'

export interface KeysContext extends ActorContext {
  db: Pool
  ids: IdSealer
  /** Asked for only when a key has a budget, whose period depends on the account's plan. */
  readPlans(): Promise<PlanFile>
  /** Where a user renews the plan; null at the command line. */
  publicUrl: string | null
  /** The account that a request is about; missing at the command line, which reaches the keys of all accounts. */
  account?: { id: number }
}

export const readKeys: Access = { member: { role: 'viewer' }, kind: 'read' }
/** By operators, of every account. */
export const findKeys: Access = { operator: true, kind: 'read' }
/** What takes rights away, at once and at any time. */
export const limitKeys: Access = { member: { role: 'admin' }, kind: 'edit' }
/** What gives a key, or gives more to one. */
export const manageKeys: Access = { member: { role: 'admin' }, kind: 'powerful' }
export const createKeys: Access = { member: { role: 'admin', needsAccess: true }, kind: 'powerful' }

/** A key that may change the plan would give an administrator the rights of an owner. */
export function requireBillingRole({ actor }: KeysContext, scopes: readonly Scope[]): void {
  if (actor.kind === 'member' && scopes.includes('billing:manage') && !includesRole(actor.role, 'owner'))
    throw new Refusal('insufficient_role', 'Only an owner may hold a key with the scope billing:manage.', {
      param: 'scopes',
    })
}

/** The refusal of what an account without API access cannot have. */
export function noAccessError({ ids, publicUrl }: KeysContext, account: Account): Refusal {
  return accessRequiredError(account, publicUrl && billingPageOf(publicUrl, ids.seal('account', account.id)))
}

/**
 * Finds a key by its public id, locked until the end of the transaction or not. In a request about an account, keys of
 * others do not exist.
 */
export async function requireKey(
  db: Queryable,
  { account, ids }: KeysContext,
  keyId: string,
  find: typeof lockKey = lockKey,
): Promise<KeyRow> {
  const opened = ids.open(keyId)
  const row = opened?.kind === 'key' ? await find(db, opened.value) : undefined
  if (!row || (account && row.account_id !== account.id)) throw unknownKeyError(keyId, opened?.kind)
  return row
}

function unknownKeyError(keyId: string, kind: string | undefined): Refusal {
  const form = 'key_ and 16 letters'
  // A pasted secret must not be repeated in an error message.
  if (keyId.startsWith('sdx_')) return new Refusal('key_not_found', `This is a key itself; give its id, ${form}.`)
  if (kind !== undefined && kind !== 'key')
    return new Refusal('key_not_found', `${keyId} is an id of kind "${kind}"; give the id of a key, ${form}.`)
  return new Refusal('key_not_found', `No key has the id ${JSON.stringify(keyId)}; an id is ${form}.`)
}

export function keyStatusAt(row: KeyRow, now: Date): KeyItem['status'] {
  if (row.revoked_at) return 'revoked'
  if (row.suspended_at) return 'suspended'
  return row.expires_at && row.expires_at <= now ? 'expired' : 'active'
}

/** A revoked or expired key stays as it is. */
export function requireNotEnded({ ids, now }: KeysContext, row: KeyRow): void {
  const status = keyStatusAt(row, now)
  if (status === 'revoked' || status === 'expired')
    throw new Refusal('key_not_active', `Key ${ids.seal('key', row.id)} is ${status}; that is permanent.`)
}
