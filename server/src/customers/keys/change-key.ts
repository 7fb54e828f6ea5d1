import { type Client, transact } from '../../foundation/db/pool.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { selectAccount } from '../accounts/queries.ts'
import { authorize } from '../auth/access.ts'
import { recordAudit } from '../auth/audit.ts'
import { type Budgets, budgetMeters, budgetsOf } from '../auth/budgets.ts'
import { type Scope, scopes } from '../auth/caller.ts'
import {
  type KeysContext,
  limitKeys,
  manageKeys,
  noAccessError,
  requireBillingRole,
  requireKey,
  requireNotEnded,
} from './context.ts'
import { type KeyRow, lockKey, updateBudgets, updateKeyEndDates, updateScopes, wasRevokedByUser } from './queries.ts'
import { type KeyReport, reportKey } from './report-keys.ts'

/** How long a revocation can be undone. The console offers it for ten seconds. */
const undoWindowMs = 15_000

/** Revokes a key; it is refused from now on. */
export function revokeKey(ctx: KeysContext, keyId: string): Promise<KeyReport> {
  return changeKey(ctx, keyId, async (client, row) => {
    if (row.revoked_at) return row
    await recordKeyChange(client, ctx, row, 'key.revoked')
    return updateKeyEndDates(client, row.id, { ...row, revoked_at: ctx.now })
  })
}

/** Makes a key usable again that a user of the console revoked some seconds ago. */
export function undoKeyRevocation(ctx: KeysContext, keyId: string): Promise<KeyReport> {
  return changeKey(ctx, keyId, async (client, row) => {
    const { account_id: accountId, revoked_at: revokedAt } = row
    if (!revokedAt) return row
    const isRecent = revokedAt.getTime() >= ctx.now.getTime() - undoWindowMs
    if (!isRecent || !(await wasRevokedByUser(client, { accountId, publicId: keyId, revokedAt })))
      throw new Refusal('revocation_final', `This key was revoked at ${revokedAt.toISOString()}; that is permanent.`)
    await recordKeyChange(client, ctx, row, 'key.revocation_undone')
    return updateKeyEndDates(client, row.id, { ...row, revoked_at: null })
  })
}

/** Disables a key until it is resumed. */
export function suspendKey(ctx: KeysContext, keyId: string): Promise<KeyReport> {
  return changeKey(ctx, keyId, async (client, row) => {
    requireNotEnded(ctx, row)
    if (row.suspended_at) return row
    await recordKeyChange(client, ctx, row, 'key.suspended')
    return updateKeyEndDates(client, row.id, { ...row, suspended_at: ctx.now })
  })
}

export function resumeKey(ctx: KeysContext, keyId: string): Promise<KeyReport> {
  return changeKey(ctx, keyId, async (client, row) => {
    requireNotEnded(ctx, row)
    if (!row.suspended_at) return row
    await recordKeyChange(client, ctx, row, 'key.resumed')
    return updateKeyEndDates(client, row.id, { ...row, suspended_at: null })
  })
}

interface KeyLimits {
  /** All scopes that the key has from now on. */
  scopes?: readonly Scope[]
  /** New budgets; null removes one, and a meter that is missing keeps its own. */
  budget?: Partial<Budgets>
}

/**
 * Changes what a key may do and spend, all or nothing; effective from the next request on. Scopes can be taken away and budgets
 * lowered at any time; what gives the key more needs a fresh sign-in. Scopes are added under the rules of a new key: the account
 * needs access, and only an owner adds to a key that may change the plan. Budgets are those of all keys that it shares its
 * counters with: what they have spent in the period counts, and what running exports have reserved stays promised.
 */
export function setKeyLimits(ctx: KeysContext, keyId: string, { scopes, budget }: KeyLimits): Promise<KeyReport> {
  return changeKey(ctx, keyId, async (client, row) => {
    requireNotEnded(ctx, row)
    const changed = [scopes && (await changeScopes(client, ctx, row, sortScopes(scopes)))]
    changed.push(budget && (await changeBudgets(client, ctx, row, budget)))
    return changed.some(Boolean) ? (await lockKey(client, row.id))! : row
  })
}

/** Returns whether the scopes changed. */
async function changeScopes(client: Client, ctx: KeysContext, row: KeyRow, wanted: readonly Scope[]): Promise<boolean> {
  const gained = wanted.filter((scope) => !row.scopes.includes(scope))
  if (gained.length === 0 && wanted.length === row.scopes.length) return false
  if (gained.length > 0) {
    authorize(ctx, manageKeys)
    requireBillingRole(ctx, wanted)
  }
  if (!(await updateScopes(client, row.id, wanted)))
    throw noAccessError(ctx, (await selectAccount(client, row.account_id))!)
  const details = { scopes: wanted.join(' '), scopes_before: sortScopes(row.scopes).join(' ') }
  await recordKeyChange(client, ctx, row, 'key.scopes_changed', details)
  return true
}

/** Returns whether a budget changed. */
async function changeBudgets(
  client: Client,
  ctx: KeysContext,
  row: KeyRow,
  changes: Partial<Budgets>,
): Promise<boolean> {
  const before = budgetsOf(row)
  const after = { ...before, ...changes }
  const changed = budgetMeters.filter((meter) => after[meter] !== before[meter])
  if (changed.length === 0) return false
  const isRaise = (meter: (typeof changed)[number]) => (after[meter] ?? Infinity) > (before[meter] ?? Infinity)
  if (changed.some(isRaise)) authorize(ctx, manageKeys)
  await updateBudgets(client, row, after)
  const details = changed.flatMap((meter) => [
    [meter, after[meter]],
    [`${meter}_before`, before[meter]],
  ])
  await recordKeyChange(client, ctx, row, 'key.budget_changed', Object.fromEntries(details))
  return true
}

/** Scopes in the order of their list, each once. */
function sortScopes(asked: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => asked.includes(scope))
}

async function changeKey(
  ctx: KeysContext,
  keyId: string,
  change: (client: Client, row: KeyRow) => Promise<KeyRow>,
): Promise<KeyReport> {
  authorize(ctx, limitKeys)
  const changed = await transact(ctx.db, async (client) => change(client, await requireKey(client, ctx, keyId)))
  return reportKey(ctx, changed)
}

function recordKeyChange(
  client: Client,
  ctx: KeysContext,
  { id, account_id: accountId }: KeyRow,
  action: `key.${string}`,
  details: Record<string, string | number | null> = {},
): Promise<void> {
  return recordAudit(client, ctx, { accountId, action, target: ctx.ids.seal('key', id), details })
}
