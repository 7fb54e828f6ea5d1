import type { Account } from '../accounts/account.ts'
import type { BillingServices } from './context.ts'
import type { Purchase } from './links/decision.ts'
import type { Deadline } from './links-deadline.ts'
import type { ProviderLink } from './provider.ts'
import { withCustomer } from './standing.ts'

// The provider allows no less than half an hour; its clock may be a little behind ours.
const lifeMs = 31 * 60_000

/** Where a checkout leads: whoever has bought, and whoever has not. */
interface Ways {
  returnUrl: string
  canceledUrl: string
}

/** A link to a checkout for an account, in place of all others of it; short-lived, so that it is paid as things stand. */
export function openCheckout(
  ctx: BillingServices,
  account: Account,
  purchase: Purchase,
  ways: Ways,
  inTime: Deadline,
): Promise<ProviderLink> {
  const accountPublicId = ctx.ids.seal('account', account.id)
  const expiresAt = new Date(ctx.clock.now().getTime() + lifeMs)
  return withCustomer(ctx, account, inTime, (customerId) =>
    inTime(ctx.billing.createCheckout({ customerId, accountPublicId, ...purchase, ...ways, expiresAt })),
  )
}
