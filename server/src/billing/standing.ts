import { isDeepStrictEqual } from 'node:util'
import type { Account } from '../accounts/account.ts'
import { selectAccount } from '../accounts/queries.ts'
import { ApiError } from '../kernel/errors.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { Deadline } from './links-deadline.ts'
import { keepCustomer } from './links-queries.ts'
import type { ProviderSubscription } from './provider.ts'
import { billedTerms, currentTerms } from './subscription-state.ts'
import { type SyncContext, syncAccount } from './sync/sync-account.ts'

/** An account and what the payment provider has of it, the newest first. */
export interface BillingStanding {
  account: Account
  subscriptions: ProviderSubscription[]
}

/** How things stand at the provider. When an event of it was lost, what is kept here is mended on the way. */
export async function readStanding(ctx: SyncContext, accountId: number, inTime: Deadline): Promise<BillingStanding> {
  const account = (await selectAccount(ctx.db, accountId))!
  if (account.customerId === null) return { account, subscriptions: [] }
  const subscriptions = await inTime(ctx.billing.listSubscriptions(account.customerId))
  if (isDeepStrictEqual(billedTerms(account, subscriptions), currentTerms(account))) return { account, subscriptions }
  await inTime(syncAccount(ctx, accountId))
  return { account: (await selectAccount(ctx.db, accountId))!, subscriptions }
}

/** The account's customer: made once, whatever happens at the same time, for the provider knows it by the account. */
export async function provideCustomer(
  ctx: SyncContext & { ids: IdSealer },
  account: Account,
  inTime: Deadline,
): Promise<string> {
  return account.customerId ?? makeCustomer(ctx, account, inTime)
}

/** Does `work` for the account's customer; for a new one, when the provider does not know the one that is kept any more. */
export async function withCustomer<T>(
  ctx: SyncContext & { ids: IdSealer },
  account: Account,
  inTime: Deadline,
  work: (customerId: string) => Promise<T>,
): Promise<T> {
  const customerId = await provideCustomer(ctx, account, inTime)
  try {
    return await work(customerId)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'billing_account_not_found') throw error
    return work(await makeCustomer(ctx, { ...account, customerId }, inTime))
  }
}

/** In place of the one that is kept, or the first. */
async function makeCustomer(
  ctx: SyncContext & { ids: IdSealer },
  { id, name, email, customerId }: Account,
  inTime: Deadline,
): Promise<string> {
  const publicId = ctx.ids.seal('account', id)
  const made = await inTime(
    ctx.billing.createCustomer({ publicId, name, email, ...(customerId && { replaces: customerId }) }),
  )
  return keepCustomer(ctx.db, id, made, customerId)
}
