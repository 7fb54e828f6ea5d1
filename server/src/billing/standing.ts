import { isDeepStrictEqual } from 'node:util'
import type { Account } from '../accounts/account.ts'
import { selectAccount } from '../accounts/queries.ts'
import type { IdSealer } from '../kernel/ids.ts'
import type { Deadline } from './links-deadline.ts'
import { keepCustomer } from './links-queries.ts'
import type { ProviderSubscription } from './provider.ts'
import { type SyncContext, syncAccount } from './sync-account.ts'
import { billedTerms, currentTerms } from './sync-terms.ts'

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
  { id, name, email, customerId }: Account,
  inTime: Deadline,
): Promise<string> {
  if (customerId !== null) return customerId
  const made = ctx.billing.createCustomer({ publicId: ctx.ids.seal('account', id), name, email })
  return keepCustomer(ctx.db, id, await inTime(made))
}
