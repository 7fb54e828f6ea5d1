import { isDeepStrictEqual } from 'node:util'
import { type Pool, transact } from '../../../foundation/db/pool.ts'
import type { Clock } from '../../../foundation/kernel/time.ts'
import { isSubscriptionRunning } from '../../accounts/account.ts'
import { lockAccount } from '../../accounts/queries.ts'
import { withConcurrencyLimit } from '../concurrency-limit.ts'
import type { BillingProvider } from '../provider.ts'
import { lockBillingOfAccount, selectCustomerId, updateSubscriptionState } from '../queries.ts'
import { deriveSubscriptionState, storedSubscriptionState } from '../subscription-state.ts'

export interface SyncContext {
  db: Pool
  billing: BillingProvider
  clock: Clock
}

/**
 * Reads an account's subscriptions from the provider and stores the resulting state. Syncs of one account run one after
 * another, on all servers: the state written last was read last, whatever the order of events. The account's row is locked
 * only while it is written. Closes open checkouts if a subscription runs, so that no plan is bought twice.
 */
export async function syncAccount(ctx: SyncContext, accountId: number): Promise<{ changed: boolean }> {
  const { changed, subscriberId } = await readAndWrite(ctx, accountId)
  // After the commit: the plan is stored even if this fails, and no connection waits.
  if (subscriberId !== null) await ctx.billing.closeCheckouts(subscriberId)
  return { changed }
}

interface SyncResult {
  changed: boolean
  /** The customer, if it has a running subscription. */
  subscriberId: string | null
}

function readAndWrite(ctx: SyncContext, accountId: number): Promise<SyncResult> {
  return withConcurrencyLimit(ctx.db, () =>
    transact(ctx.db, async (client) => {
      await lockBillingOfAccount(client, accountId)
      const customerId = await selectCustomerId(client, accountId)
      if (customerId === null) return { changed: false, subscriberId: null }
      const subscriptions = await ctx.billing.listSubscriptions(customerId)
      const readAt = ctx.clock.now()
      const account = (await lockAccount(client, accountId))!
      const state = deriveSubscriptionState(account, subscriptions)
      await updateSubscriptionState(client, accountId, state, readAt)
      return {
        changed: !isDeepStrictEqual(state, storedSubscriptionState(account)),
        subscriberId: subscriptions.some(isSubscriptionRunning) ? customerId : null,
      }
    }),
  )
}
