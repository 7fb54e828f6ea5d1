import { type Client, transact } from '../../foundation/db/pool.ts'
import { displayedParts, hashApiKey, newApiKey } from '../../foundation/kernel/api-key.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { textFault } from '../../foundation/kernel/text/trim.ts'
import { parseTimestamp } from '../../foundation/kernel/time.ts'
import type { Account } from '../accounts/account.ts'
import { lockAccount } from '../accounts/queries.ts'
import { unknownAccountError } from '../accounts/read-account.ts'
import { authorize } from '../auth/access.ts'
import { recordAudit } from '../auth/audit.ts'
import { type Budgets, budgetsOf, noBudgets } from '../auth/budgets.ts'
import { defaultScopes, type Scope } from '../auth/caller.ts'
import {
  createKeys,
  type KeysContext,
  keyStatusAt,
  manageKeys,
  noAccessError,
  requireBillingRole,
  requireKey,
} from './context.ts'
import {
  countUsableKeys,
  insertKeyWithAccess,
  insertReplacementKey,
  type KeyRow,
  type NewKeyRow,
  selectKey,
  updateKeyEndDates,
} from './queries.ts'
import { type KeyReport, reportKey } from './report-keys.ts'
import type { NewKeyRequest, RotateKeyRequest } from './schema.ts'

/** A new key with its secret, which is stored nowhere and shown only once. */
export interface IssuedKey {
  key: KeyReport
  secret: string
}

type NewKey = Omit<NewKeyRequest, 'scopes'> & { scopes?: readonly Scope[] }

/** Keys of an account that are active or suspended, at most; more are never needed and would fill its list. */
const maxUsableKeys = 100

/** Creates a key of an account with API access. */
export async function createKey(ctx: KeysContext, accountId: number, request: NewKey): Promise<IssuedKey> {
  authorize(ctx, createKeys)
  const keyScopes = request.scopes ?? defaultScopes
  requireBillingRole(ctx, keyScopes)
  const { secret, row } = generateKey(ctx, {
    accountId,
    mode: request.mode ?? 'live',
    name: readName(request.name),
    scopes: keyScopes,
    expiresAt: readExpiry(ctx, request.expires_at ?? null),
    budgets: { ...noBudgets, ...request.budget },
    counterKeyId: null,
  })
  const created = await transact(ctx.db, async (client) => {
    const holder = await requireRoomForKey(client, ctx, accountId)
    const inserted = await insertKeyWithAccess(client, row)
    if (!inserted) throw noAccessError(ctx, holder)
    await recordAudit(client, ctx, {
      accountId,
      action: 'key.created',
      target: ctx.ids.seal('key', inserted.id),
      details: {
        name: row.name,
        mode: row.mode,
        scopes: keyScopes.join(' '),
        expires_at: row.expiresAt?.toISOString() ?? null,
        ...givenBudgets(row.budgets),
      },
    })
    return inserted
  })
  return { key: await reportKey(ctx, created), secret }
}

/**
 * Replaces an active key by a new one with the same name, mode, scopes, expiry and budgets, which both share: a rotation gives
 * back nothing of what was spent. The old one works for the overlap, or until its own expiry if that is sooner. Also works
 * without API access, because the account gains no key.
 */
export async function rotateKey(
  ctx: KeysContext,
  keyId: string,
  { overlap_seconds }: RotateKeyRequest,
): Promise<IssuedKey & { replaced: KeyReport }> {
  authorize(ctx, manageKeys)
  const { secret, successor, replaced } = await transact(ctx.db, async (client) => {
    await requireRoomForKey(client, ctx, (await requireKey(client, ctx, keyId, selectKey)).account_id)
    const old = await requireKey(client, ctx, keyId)
    requireBillingRole(ctx, old.scopes)
    const status = keyStatusAt(old, ctx.now)
    if (status !== 'active')
      throw new Refusal('key_not_active', `Key ${keyId} is ${status}; only an active key can be rotated.`)
    const { secret, row } = generateKey(ctx, {
      accountId: old.account_id,
      mode: old.mode,
      name: old.name,
      scopes: old.scopes,
      expiresAt: old.expires_at,
      budgets: budgetsOf(old),
      counterKeyId: old.counter_key_id,
    })
    const successor = await insertReplacementKey(client, row)
    const expiresAt = overlapEnd(old, ctx.now, overlap_seconds * 1000)
    const replaced = await updateKeyEndDates(client, old.id, { ...old, expires_at: expiresAt })
    await recordAudit(client, ctx, {
      accountId: old.account_id,
      action: 'key.rotated',
      target: keyId,
      details: { successor: ctx.ids.seal('key', successor.id), overlap_seconds },
    })
    return { secret, successor, replaced }
  })
  return { key: await reportKey(ctx, successor), secret, replaced: await reportKey(ctx, replaced) }
}

function overlapEnd({ expires_at }: KeyRow, now: Date, overlapMs: number): Date {
  const end = new Date(now.getTime() + overlapMs)
  return expires_at && expires_at < end ? expires_at : end
}

function generateKey(
  { now }: KeysContext,
  key: Omit<NewKeyRow, 'secretHash' | 'shownFirst' | 'shownLast' | 'createdAt'>,
): { secret: string; row: NewKeyRow } {
  const secret = newApiKey(key.mode)
  const { first, last } = displayedParts(secret)
  return { secret, row: { ...key, secretHash: hashApiKey(secret), shownFirst: first, shownLast: last, createdAt: now } }
}

/** Locks the account until the end of the transaction, so that keys that are created at once are all counted. */
async function requireRoomForKey(client: Client, ctx: KeysContext, accountId: number): Promise<Account> {
  const account = await lockAccount(client, accountId)
  if (!account) throw unknownAccountError(ctx.ids.seal('account', accountId))
  // For users: a program of the operator may need more.
  if (ctx.actor.kind === 'member' && (await countUsableKeys(client, accountId, ctx.now)) >= maxUsableKeys)
    throw new Refusal('too_many_keys', `An account has at most ${maxUsableKeys} usable keys; revoke one first.`)
  return account
}

function readName(name: string): string {
  const fault = textFault(name)
  if (fault) throw new Refusal('invalid_request', `name ${fault}.`, { param: 'name' })
  return name.trim()
}

function readExpiry({ now }: KeysContext, text: string | null): Date | null {
  if (text === null) return null
  const moment = parseTimestamp(text)
  if (moment === null || moment <= now.getTime())
    throw new Refusal('invalid_request', 'expires_at must be a date and time in the future, with offset.', {
      param: 'expires_at',
    })
  return new Date(moment)
}

/** The budgets that a new key has, for the audit log. */
function givenBudgets(budgets: Budgets) {
  return Object.fromEntries(Object.entries(budgets).filter(([, limit]) => limit !== null))
}
