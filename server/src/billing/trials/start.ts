import { type Account, endedStatuses } from '../../accounts/account.ts'
import { readAccount } from '../../accounts/read-account.ts'
import { OperatorError } from '../../kernel/errors.ts'
import type { IdSealer } from '../../kernel/ids.ts'
import type { TimeBudget } from '../links/links.ts'
import type { Billing, PaidPlan } from '../provider.ts'
import { ensureCustomer, loadBillingState } from '../status.ts'
import { type SyncContext, syncAccount } from '../sync/sync-account.ts'

interface NewTrial {
  days: number
  plan: PaidPlan
  billing: Billing
}

const dayMs = 86_400_000
// Each call to the provider has its own bound, and nobody waits for a reply.
const patiently: TimeBudget = (work) => work

/**
 * Starts a trial as a subscription at the payment provider, which leads to the paid plan or ends by itself. Asked twice at
 * once it starts one.
 */
export async function startTrial(
  ctx: SyncContext & { ids: IdSealer },
  publicId: string,
  { days, plan, billing }: NewTrial,
): Promise<Account> {
  const now = ctx.clock.now()
  const read = () => readAccount({ db: ctx.db, ids: ctx.ids, now }, publicId)
  const { id } = await read()
  if (!ctx.billing.isForSale(plan, billing))
    throw new OperatorError(`The plan ${plan}, billed ${billing}, is not sold: its price is not set.`)
  const { account, subscriptions } = await loadBillingState(ctx, id, patiently)
  const live = subscriptions.find(({ status }) => !endedStatuses.has(status))
  if (live) throw new OperatorError(`${publicId} has a subscription already; its status is ${live.status}.`)
  if (account.accessOpen)
    throw new OperatorError(
      `${publicId} has the plan ${account.planInForce} granted by hand; take it away first: accounts set ${publicId} --plan free.`,
    )
  const customerId = await ensureCustomer(ctx, account, patiently)
  const endsAt = new Date(now.getTime() + days * dayMs)
  await ctx.billing.startTrial({ customerId, plan, billing, endsAt, accountPublicId: publicId })
  await syncAccount(ctx, id)
  return read()
}
