import { findCaller } from '../../../../src/customers/admission/admit.ts'
import { CachedKey } from '../../../../src/customers/admission/key-cache.ts'
import { Admission } from '../../../../src/customers/admission/pending-admission.ts'
import { keyActor } from '../../../../src/customers/auth/actor.ts'
import type { Scope } from '../../../../src/customers/auth/caller.ts'
import { selectAccountsOfKeys } from '../../../../src/customers/auth/key-queries.ts'
import { createTrialLinks } from '../../../../src/customers/auth/trial-links.ts'
import { type ChargeContext, charge } from '../../../../src/customers/ledger/charge.ts'
import type { Queryable } from '../../../../src/foundation/db/pool.ts'
import { hashApiKey } from '../../../../src/foundation/kernel/api-key.ts'
import type { Deps } from '../../../../src/operations/deps.ts'
import type { TestApp, TestKey } from '../../../support/app.ts'

let lastContact = 0

/** The key as admission takes it. */
export async function identifyKey(db: Queryable, key: string): Promise<{ secretHash: Buffer; accountId: number }> {
  const secretHash = hashApiKey(key)
  const [owner] = await selectAccountsOfKeys(db, [secretHash])
  return { secretHash, accountId: owner!.account_id }
}

/** The context of a request with a key, which its charge counts. */
export async function contextOfKey(deps: Deps, key: string, scope: Scope, requestId: string): Promise<ChargeContext> {
  const { db, clock, plans, charges } = deps
  const now = clock.now()
  const presented = { ...(await identifyKey(db, key)), scope }
  const ctx = { db, now, plans, billingPageOf: () => 'https://storedex.example/billing' }
  const read = async () => {
    const found = await findCaller(ctx, presented)
    return { ...found, known: new CachedKey(found.row) }
  }
  const { caller, known, error } = await read()
  if (error) throw error
  const admission = new Admission({ now, caller, known, read, onCounted: () => {} })
  const trialLinks = createTrialLinks({ ...deps, publicUrl: 'http://storedex.example' })
  return { db, now, requestId, caller, actor: keyActor(caller), admission, charges, trialLinks }
}

/**
 * Spends credits as a reveal of new contacts does, but without contacts, so that hundreds are spent at once. Returns the
 * credits left, or throws the refusal.
 */
export async function spendCredits({ deps }: TestApp, key: TestKey, count: number): Promise<number> {
  const ids = Array.from({ length: count }, () => ++lastContact)
  const ctx = await contextOfKey(deps, key.secret, 'contacts:reveal', `req_test${lastContact}`)
  const paid = await charge(ctx, { contact_credits: { ids }, store_exports: { ids: [] } })
  return paid.balance.contact_credits!
}

/** Charges a page of search rows, one per id, and the exports of their stores. */
export async function spendRows(ctx: ChargeContext, storeIds: number[]): Promise<void> {
  await charge(ctx, { search_rows: { amount: storeIds.length }, store_exports: { ids: [...new Set(storeIds)] } })
}
