import type { Pool, Queryable } from '../../foundation/db/pool.ts'
import type { IdSealer } from '../../foundation/kernel/ids.ts'
import type { Account } from '../accounts/account.ts'
import type { Access } from '../auth/access.ts'
import type { ActorContext } from '../auth/actor.ts'
import { recordAudit } from '../auth/audit.ts'
import type { AccountReport } from './schema.ts'

export interface CustomersContext extends ActorContext {
  db: Pool
  ids: IdSealer
}

/** Plans and limits. */
export const manageAccounts: Access = { operator: true, kind: 'powerful' }
export const suspendAccounts: Access = { operator: true, kind: 'edit' }
export const readAccounts: Access = { operator: true, kind: 'read' }
export const seeAsAccount: Access = { operator: true, kind: 'edit' }
export const renameAccounts: Access = { member: { role: 'admin' }, kind: 'edit' }
export const closeAccounts: Access = { member: { role: 'owner' }, kind: 'powerful' }
export const readAudit: Access = { member: { role: 'admin' }, kind: 'read' }

export function recordAccountChange(
  db: Queryable,
  ctx: CustomersContext,
  accountId: number,
  action: `account.${string}`,
  details: Readonly<Record<string, string | number | null>> = {},
): Promise<void> {
  return recordAudit(db, ctx, { accountId, action, target: ctx.ids.seal('account', accountId), details })
}

/** An account as operators see it, by command and in the console. */
export function reportAccount(ids: IdSealer, account: Account): AccountReport {
  return {
    id: ids.seal('account', account.id),
    name: account.name,
    email: account.email,
    plan: account.planInForce,
    status: account.status,
    billing: account.planInForce === 'free' ? null : account.billing,
    trial_ends_at: account.trialEndsAt?.toISOString() ?? null,
    period_start: account.periodAnchor.toISOString(),
    api_access: account.accessOpen,
    suspended_at: account.suspendedAt?.toISOString() ?? null,
    closed_at: account.closedAt?.toISOString() ?? null,
    limits: account.limits,
    created_at: account.createdAt.toISOString(),
  }
}
