import type { PlanFile } from '../../accounts/plans.ts'
import { selectAccount } from '../../accounts/queries.ts'
import { type AuditEntry, recordAuditEntry } from '../../auth/audit.ts'
import { updateBudgets } from '../../auth/budget-queries.ts'
import { budgetMeters, budgetsOf } from '../../auth/budgets.ts'
import { accessRequiredError, billingPageOf, type Scope } from '../../auth/caller.ts'
import { type KeyRow, lockKey, updateKeyEndDates, updateScopes } from '../../auth/key-queries.ts'
import { type KeyReport, keyStatusAt, reportKey, sortScopes } from '../../auth/keys.ts'
import { includesRole } from '../../auth/roles.ts'
import type { MemberContext } from '../../auth/signed-in.ts'
import { type Client, transact } from '../../db/pool.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import { wasRevokedByPerson } from './queries.ts'
import type { KeyBudgetRequest, KeyItem, KeyReply, KeyScopesRequest } from './schema.ts'

export interface MemberKeysContext extends MemberContext {
  ids: IdSealer
  readPlans(): Promise<PlanFile>
}

/** How long a revocation can be undone. The console offers it for ten seconds. */
const undoWindowMs = 15_000

/** Revokes a key; it is refused from now on. Can be undone for some seconds. */
export function revokeAccountKey(ctx: MemberKeysContext, keyId: string): Promise<KeyReply> {
  return changeAccountKey(ctx, keyId, async (client, row) => {
    if (row.revoked_at) return row
    await recordKeyChange(client, ctx, 'key.revoked', keyId)
    return updateKeyEndDates(client, row.id, { ...row, revoked_at: ctx.now })
  })
}

/** Makes a key usable again that a person of the console revoked some seconds ago. */
export function undoKeyRevocation(ctx: MemberKeysContext, keyId: string): Promise<KeyReply> {
  return changeAccountKey(ctx, keyId, async (client, row) => {
    const { account_id: accountId, revoked_at: revokedAt } = row
    if (!revokedAt) return row
    const isRecent = revokedAt.getTime() >= ctx.now.getTime() - undoWindowMs
    if (!isRecent || !(await wasRevokedByPerson(client, { accountId, publicId: keyId, revokedAt })))
      throw new Refusal('revocation_final', `This key was revoked at ${revokedAt.toISOString()}; that is permanent.`)
    await recordKeyChange(client, ctx, 'key.revocation_undone', keyId)
    return updateKeyEndDates(client, row.id, { ...row, revoked_at: null })
  })
}

/** Disables a key until it is resumed. */
export function suspendAccountKey(ctx: MemberKeysContext, keyId: string): Promise<KeyReply> {
  return changeAccountKey(ctx, keyId, async (client, row) => {
    requireNotEnded(ctx, row)
    if (row.suspended_at) return row
    await recordKeyChange(client, ctx, 'key.suspended', keyId)
    return updateKeyEndDates(client, row.id, { ...row, suspended_at: ctx.now })
  })
}

export function resumeAccountKey(ctx: MemberKeysContext, keyId: string): Promise<KeyReply> {
  return changeAccountKey(ctx, keyId, async (client, row) => {
    requireNotEnded(ctx, row)
    if (!row.suspended_at) return row
    await recordKeyChange(client, ctx, 'key.resumed', keyId)
    return updateKeyEndDates(client, row.id, { ...row, suspended_at: null })
  })
}

/**
 * Changes the budgets of a key and of those it shares its counters with; effective from the next request on. What the key has
 * spent in the period counts, and what running exports have reserved stays promised.
 */
export function setAccountKeyBudget(
  ctx: MemberKeysContext,
  keyId: string,
  { budget: changes }: KeyBudgetRequest,
): Promise<KeyReply> {
  return changeAccountKey(ctx, keyId, async (client, row) => {
    requireNotEnded(ctx, row)
    const before = budgetsOf(row)
    const after = { ...before, ...changes }
    const changed = budgetMeters.filter((meter) => after[meter] !== before[meter])
    if (changed.length === 0) return row
    await updateBudgets(client, row, after)
    const details = changed.flatMap((meter) => [
      [meter, after[meter]],
      [`${meter}_before`, before[meter]],
    ])
    await recordKeyChange(client, ctx, 'key.budget_changed', keyId, Object.fromEntries(details))
    return (await lockKey(client, row.id))!
  })
}

/**
 * Replaces the scopes of a key; effective from the next request on. Scopes can be taken away at any time, and added under
 * the rules of a new key: the account needs access, and only an owner adds to a key that may change the plan.
 */
export function setAccountKeyScopes(
  ctx: MemberKeysContext & { publicUrl: string },
  keyId: string,
  { scopes: asked }: KeyScopesRequest,
): Promise<KeyReply> {
  const scopes = sortScopes(asked)
  return changeAccountKey(ctx, keyId, async (client, row) => {
    requireNotEnded(ctx, row)
    const gained = scopes.filter((scope) => !row.scopes.includes(scope))
    if (gained.length === 0 && scopes.length === row.scopes.length) return row
    if (gained.length > 0) requireBillingRole(ctx, scopes)
    const changed = await updateScopes(client, row.id, scopes)
    if (!changed) {
      const account = (await selectAccount(client, row.account_id))!
      throw accessRequiredError(account, billingPageOf(ctx.publicUrl, ctx.ids.seal('account', account.id)))
    }
    await recordKeyChange(client, ctx, 'key.scopes_changed', keyId, {
      scopes: scopes.join(' '),
      scopes_before: sortScopes(row.scopes).join(' '),
    })
    return changed
  })
}

/** A key that may change the plan would give an administrator the rights of an owner. */
export function requireBillingRole({ role }: MemberKeysContext, scopes: readonly Scope[]): void {
  if (scopes.includes('billing:manage') && !includesRole(role, 'owner'))
    throw new Refusal('insufficient_role', 'Only an owner may hold a key with the scope billing:manage.', {
      param: 'scopes',
    })
}

async function changeAccountKey(
  ctx: MemberKeysContext,
  keyId: string,
  change: (client: Client, row: KeyRow) => Promise<KeyRow>,
): Promise<KeyReply> {
  const changed = await transact(ctx.db, async (client) => change(client, await lockAccountKey(client, ctx, keyId)))
  return { object: 'key', ...itemOf(await reportKey(ctx, changed)), request_id: ctx.requestId }
}

/** Locks a key of the caller's account until the end of the transaction; any other id is unknown. */
export async function lockAccountKey(client: Client, ctx: MemberKeysContext, keyId: string): Promise<KeyRow> {
  const opened = ctx.ids.open(keyId)
  const row = opened?.kind === 'key' ? await lockKey(client, opened.value) : undefined
  if (row?.account_id !== ctx.account.id) throw new Refusal('key_not_found', 'This account has no such key.')
  return row
}

function requireNotEnded(ctx: MemberKeysContext, row: KeyRow): void {
  const status = keyStatusAt(row, ctx.now)
  if (status === 'revoked' || status === 'expired')
    throw new Refusal('key_not_active', `This key is ${status}; that is permanent.`)
}

export async function recordKeyChange(
  client: Client,
  ctx: MemberKeysContext,
  action: AuditEntry['action'],
  keyId: string,
  details: NonNullable<AuditEntry['details']> = {},
): Promise<void> {
  await recordAuditEntry(client, {
    accountId: ctx.account.id,
    personId: ctx.person.id,
    action,
    target: keyId,
    details,
    address: ctx.address,
    at: ctx.now,
  })
}

/** A key as a list of the console shows it, where the account is known. */
export function itemOf({ account: _, ...item }: KeyReport): KeyItem {
  return item
}
