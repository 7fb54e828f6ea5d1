import type { Pool } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { deleteBillingEventsOutside, selectAccountIdsWithCustomer, tryLockReconciliation } from '../queries.ts'
import { type SyncContext, syncAccount } from './sync-account.ts'

export interface ReconcileResult {
  /** Accounts that were read from the provider. */
  checked: number
  /** Accounts whose stored state differed. */
  changed: number
}

const pageSize = 100
const eventsKeptMs = 90 * 86_400_000

/**
 * Syncs every account that has a customer, in case events were lost. An internal error of one account is thrown after the
 * others are done; if the provider is unavailable it stops at once.
 */
export async function reconcileAccounts(ctx: SyncContext, stop?: AbortSignal): Promise<ReconcileResult> {
  const result = { checked: 0, changed: 0 }
  const errors: unknown[] = []
  for await (const accountId of accountsWithCustomer(ctx.db)) {
    if (stop?.aborted) break
    try {
      const { changed } = await syncAccount(ctx, accountId)
      result.checked += 1
      if (changed) result.changed += 1
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'internal_error') throw error
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return result
}

async function* accountsWithCustomer(db: Pool): AsyncIterable<number> {
  for (let afterId = 0; ; ) {
    const page = await selectAccountIdsWithCustomer(db, afterId, pageSize)
    yield* page
    if (page.length < pageSize) return
    afterId = page.at(-1)!
  }
}

/** Reconciles and deletes old events, unless another server is reconciling. */
export async function reconcileExclusively(ctx: SyncContext & { ownerDb: Pool }, stop: AbortSignal): Promise<void> {
  // The lock is the session's, which a pooler in front of the other pool would share.
  const lockConnection = await ctx.ownerDb.connect()
  try {
    if (!(await tryLockReconciliation(lockConnection))) return
    const nowMs = ctx.clock.now().getTime()
    await deleteBillingEventsOutside(ctx.db, {
      from: new Date(nowMs - eventsKeptMs),
      to: new Date(nowMs + eventsKeptMs),
    })
    await reconcileAccounts(ctx, stop)
  } finally {
    // Closing the connection releases the lock.
    lockConnection.release(true)
  }
}
