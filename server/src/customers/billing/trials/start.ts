import { OperatorError } from '../../../foundation/kernel/errors.ts'
import type { IdSealer } from '../../../foundation/kernel/ids.ts'
import { type Account, closedReason, endedStatuses } from '../../accounts/account.ts'
import { readAccount } from '../../accounts/read-account.ts'
import type { TimeBudget } from '../links/counted-links.ts'
import type { BillingInterval, PaidPlan } from '../provider.ts'
import { ensureCustomer, loadBillingState } from '../status.ts'
import { type SyncContext, syncAccount } from '../sync/sync-account.ts'

interface NewTrial {
  days: number
  plan: PaidPlan
  billing: BillingInterval
}

const dayMs = 86_400_000
// No HTTP caller waits; each call to the provider has its own timeout.
const withoutBudget: TimeBudget = (work) => work

/**
 * Starts a subscription with a trial at the payment provider. At its end the paid plan starts, or the subscription is
 * canceled if there is no payment method. Concurrent calls start only one.
 */
export async function startTrial(
  ctx: SyncContext & { ids: IdSealer },
  publicId: string,
  { days, plan, billing }: NewTrial,
): Promise<Account> {
  const now = ctx.clock.now()
  const read = () => readAccount(ctx, publicId)
  const { id } = await read()
  if (!ctx.billing.isForSale(plan, billing))
    throw new OperatorError(`The plan ${plan}, billed ${billing}, is not for sale: its price is not set.`)
  const { account, subscriptions } = await loadBillingState(ctx, id, withoutBudget)
  const live = subscriptions.find(({ status }) => !endedStatuses.has(status))
  if (live) throw new OperatorError(`${publicId} already has a subscription; its status is ${live.status}.`)
  const closed = closedReason(account)
  if (closed) throw new OperatorError(`${publicId} cannot start a trial: ${closed}`)
  if (account.accessOpen)
    throw new OperatorError(
      `${publicId} has the plan ${account.planInForce} granted by hand; remove it first: accounts set ${publicId} --plan free.`,
    )
  const customerId = await ensureCustomer(ctx, account, withoutBudget)
  const endsAt = new Date(now.getTime() + days * dayMs)
  await ctx.billing.startTrial({ customerId, plan, billing, endsAt, accountPublicId: publicId })
  await syncAccount(ctx, id)
  return read()
}
