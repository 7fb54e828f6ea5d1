import { hashApiKey, parseApiKey, parseKeyPart } from '../../foundation/kernel/api-key.ts'
import { Refusal } from '../../foundation/kernel/errors.ts'
import { selectAccount } from '../accounts/queries.ts'
import { authorize } from '../auth/access.ts'
import { findKeys, type KeysContext, keyStatusAt } from './context.ts'
import { selectKeyByHash, selectKeysByShownPart, selectKeysOf } from './queries.ts'
import { type KeyReport, reportKeys } from './report-keys.ts'
import type { KeyItem } from './schema.ts'

/** All keys of an account, the oldest first. */
export async function listAllKeys(ctx: KeysContext, accountId: number): Promise<KeyReport[]> {
  authorize(ctx, findKeys)
  return reportKeys(ctx, await selectKeysOf(ctx.db, accountId))
}

/** The status of the key with this secret. */
export async function findKeyStatus(
  ctx: Pick<KeysContext, 'db' | 'now'>,
  key: string,
): Promise<KeyItem['status'] | undefined> {
  const row = await selectKeyByHash(ctx.db, hashApiKey(key))
  return row && keyStatusAt(row, ctx.now)
}

/** A key with the state of its account. */
export interface FoundKey extends KeyReport {
  account_name: string
  account_plan: string
  account_status: string
  api_access: boolean
}

const maxFoundKeys = 100

/**
 * Finds keys by what a log or a user shows of them: the beginning of a key, its display form, or the whole key. Of a
 * secret four characters of either end are stored, so a longer beginning finds the keys with the same first four. The
 * newest come first.
 */
export async function findKeysByPart(ctx: KeysContext, text: string): Promise<FoundKey[]> {
  authorize(ctx, findKeys)
  const part = parseKeyPart(text)
  if (!part)
    throw new Refusal(
      'invalid_request',
      'Give the beginning of a key, such as sdx_live_ab12, or what a list of keys shows of it, such as sdx_live_ab12…yz89.',
    )
  const exact = parseApiKey(text.trim()) && (await selectKeyByHash(ctx.db, hashApiKey(text.trim())))
  const rows =
    exact === null ? await selectKeysByShownPart(ctx.db, part, maxFoundKeys) : exact === undefined ? [] : [exact]
  const reports = await reportKeys(ctx, rows)
  return Promise.all(
    rows.map(async (row, index) => {
      const { name, planInForce, status, accessOpen } = (await selectAccount(ctx.db, row.account_id))!
      const state = { account_plan: planInForce, account_status: status, api_access: accessOpen }
      return { ...reports[index]!, account_name: name, ...state }
    }),
  )
}
