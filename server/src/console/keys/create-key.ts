import type { Static } from 'typebox'
import type { Account } from '../../accounts/account.ts'
import { lockAccount } from '../../accounts/queries.ts'
import { type Budgets, noBudgets } from '../../auth/budgets.ts'
import { accessRequiredError, billingPageOf, defaultScopes } from '../../auth/caller.ts'
import { insertKeyWithAccess, insertReplacementKey, updateKeyEndDates } from '../../auth/key-queries.ts'
import { generateKey, generateSuccessor, keyStatusAt, overlapEnd, reportKey } from '../../auth/keys.ts'
import { type Client, transact } from '../../db/pool.ts'
import { Refusal } from '../../kernel/errors.ts'
import { textFault } from '../../kernel/shapes.ts'
import { parseTimestamp } from '../../kernel/time.ts'
import { itemOf, lockAccountKey, type MemberKeysContext, recordKeyChange, requireBillingRole } from './change-key.ts'
import { countUsableKeys } from './queries.ts'
import type { NewKeyReply, NewKeyRequest, RotatedKeyReply, RotateKeyRequest } from './schema.ts'

interface NewKeyContext extends MemberKeysContext {
  publicUrl: string
}

/** Keys of an account that are active or suspended, at most; more are never needed and would fill its list. */
const maxUsableKeys = 100

/** Creates a key of an account with access. The reply is the only place where its secret is ever shown. */
export async function createAccountKey(
  ctx: NewKeyContext,
  request: NewKeyRequest,
): Promise<Static<typeof NewKeyReply>> {
  const scopes = request.scopes ?? defaultScopes
  requireBillingRole(ctx, scopes)
  const { key: secret, row } = generateKey(ctx, {
    accountId: ctx.account.id,
    mode: request.mode ?? 'live',
    name: keyName(request.name),
    scopes,
    expiresAt: readExpiry(ctx, request.expires_at ?? null),
    budgets: { ...noBudgets, ...request.budget },
    counterKeyId: null,
  })
  const created = await transact(ctx.db, async (client) => {
    const account = await requireRoomForKey(client, ctx)
    const inserted = await insertKeyWithAccess(client, row)
    if (!inserted) throw accessRequiredError(account, billingPageOf(ctx.publicUrl, ctx.ids.seal('account', account.id)))
    await recordKeyChange(client, ctx, 'key.created', ctx.ids.seal('key', inserted.id), {
      name: row.name,
      mode: row.mode,
      scopes: scopes.join(' '),
      expires_at: row.expiresAt?.toISOString() ?? null,
      ...givenBudgets(row.budgets),
    })
    return inserted
  })
  return { object: 'new_key', key: itemOf(await reportKey(ctx, created)), secret, request_id: ctx.requestId }
}

function keyName(name: string): string {
  const fault = textFault(name)
  if (fault) throw new Refusal('invalid_request', `name ${fault}.`, { param: 'name' })
  return name.trim()
}

/**
 * Replaces an active key by a new one with the same name, mode, scopes, expiry and budgets, which both share. The old one works
 * for the overlap, or until its own expiry if that is sooner. Also works without access, because the account gains no key.
 */
export async function rotateAccountKey(
  ctx: MemberKeysContext,
  keyId: string,
  { overlap_seconds }: RotateKeyRequest,
): Promise<Static<typeof RotatedKeyReply>> {
  const { secret, successor, replaced } = await transact(ctx.db, async (client) => {
    await requireRoomForKey(client, ctx)
    const old = await lockAccountKey(client, ctx, keyId)
    requireBillingRole(ctx, old.scopes)
    const status = keyStatusAt(old, ctx.now)
    if (status !== 'active')
      throw new Refusal('key_not_active', `This key is ${status}; only an active key can be rotated.`)
    const { key: secret, row } = generateSuccessor(ctx, old)
    const successor = await insertReplacementKey(client, row)
    const expiresAt = overlapEnd(old, ctx.now, overlap_seconds * 1000)
    const replaced = await updateKeyEndDates(client, old.id, { ...old, expires_at: expiresAt })
    await recordKeyChange(client, ctx, 'key.rotated', keyId, {
      successor: ctx.ids.seal('key', successor.id),
      overlap_seconds,
    })
    return { secret, successor, replaced }
  })
  return {
    object: 'rotated_key',
    key: itemOf(await reportKey(ctx, successor)),
    secret,
    replaced: itemOf(await reportKey(ctx, replaced)),
    request_id: ctx.requestId,
  }
}

/** Locks the account until the end of the transaction, so that keys that are created at once are all counted. */
async function requireRoomForKey(client: Client, ctx: MemberKeysContext): Promise<Account> {
  const account = (await lockAccount(client, ctx.account.id))!
  if ((await countUsableKeys(client, ctx.account.id, ctx.now)) >= maxUsableKeys)
    throw new Refusal('too_many_keys', `An account has at most ${maxUsableKeys} usable keys; revoke one first.`)
  return account
}

/** The budgets that a new key has, for the audit log. */
function givenBudgets(budgets: Budgets) {
  return Object.fromEntries(Object.entries(budgets).filter(([, limit]) => limit !== null))
}

function readExpiry({ now }: MemberKeysContext, text: string | null): Date | null {
  if (text === null) return null
  const moment = parseTimestamp(text)
  if (moment === null || moment <= now.getTime())
    throw new Refusal('invalid_request', 'expires_at must be a date and time in the future, with offset.', {
      param: 'expires_at',
    })
  return new Date(moment)
}
