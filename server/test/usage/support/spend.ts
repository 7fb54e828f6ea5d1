import { admit } from '../../../src/admission/admit.ts'
import type { CallerContext } from '../../../src/auth/caller.ts'
import { selectAccountsOfKeys } from '../../../src/auth/key-queries.ts'
import type { Queryable } from '../../../src/db/pool.ts'
import { hashApiKey } from '../../../src/kernel/api-key.ts'
import { deliverAndCharge } from '../../../src/usage/charge.ts'
import { deliverySql, deliveryValues, type MetersTaken } from '../../../src/ledger/charge-queries.ts'
import { payForReveals, runRevealWithRetries } from '../../../src/usage/charge-reveals.ts'
import { createTrialLinks } from '../../../src/auth/trial-links.ts'
import type { TestApp, TestKey } from '../../support/app.ts'

let lastContact = 0

/** The key as admission takes it. */
export async function identifyKey(db: Queryable, key: string): Promise<{ secretHash: Buffer; accountId: number }> {
  const secretHash = hashApiKey(key)
  const [owner] = await selectAccountsOfKeys(db, [secretHash])
  return { secretHash, accountId: owner!.account_id }
}

/**
 * Spends credits as a reveal of new contacts does, but without contacts, so that hundreds are spent at once. Returns the
 * credits left, or throws the refusal.
 */
export async function spendCredits({ deps }: TestApp, key: TestKey, count: number): Promise<number> {
  const { db, clock, plans } = deps
  const now = clock.now()
  const publicUrl = 'http://storedex.example'
  const { caller, error } = await admit(
    { db, now, plans, billingPageOf: () => 'https://storedex.example/billing' },
    { ...(await identifyKey(db, key.secret)), scope: 'contacts:reveal', readSearchRows: false },
  )
  if (error) throw error
  const contactIds = Array.from({ length: count }, () => ++lastContact)
  const ctx = {
    db,
    now,
    requestId: `req_test${lastContact}`,
    caller,
    trialLinks: createTrialLinks({ ...deps, publicUrl }),
  }
  const paid = await runRevealWithRetries(ctx, () => payForReveals(ctx, db, { contactIds, storeIds: [] }))
  return paid.balance.contact_credits
}

/** Charges a page of search rows, one per id, without stores. */
export async function spendRows(ctx: CallerContext, storeIds: number[]): Promise<void> {
  await deliverAndCharge(ctx, {
    viewedPage: null,
    deliver: async (charge) => {
      const { rows } = await ctx.db.query<MetersTaken>(
        deliverySql({
          delivered: 'select store_id from unnest($13::bigint[]) as store_id',
          countsRows: true,
          answer: 'select * from meters',
        }),
        [...deliveryValues(charge), storeIds],
      )
      return rows[0]!
    },
    estimateCost: async () => ({ storeIds, searchRows: storeIds.length }),
  })
}
