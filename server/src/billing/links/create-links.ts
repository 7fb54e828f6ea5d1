import type { Account } from '../../accounts/account.ts'
import { selectAccount } from '../../accounts/queries.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { ProviderLink } from '../provider.ts'
import type { BillingLinkReply, SubscriptionLinkRequest } from '../schema.ts'
import { ensureCustomer, loadBillingState, withCustomer } from '../status.ts'
import type { BillingContext, BillingServices } from '../sync/sync-account.ts'
import { decideLink, type LinkDecision, type Offer } from './decide-link.ts'
import {
  billingAccountNotFound,
  billingPagePaths,
  createCountedCallerLink,
  createTestLink,
  linkReply,
  startTimeBudget,
  type TimeBudget,
} from './links.ts'

/** A link to where a person buys a plan, confirms a higher one, or mends a subscription that is in trouble. */
export async function createSubscriptionLink(
  ctx: BillingContext,
  { plan, billing = 'monthly' }: SubscriptionLinkRequest,
): Promise<BillingLinkReply> {
  const purchase = { plan, billing }
  if (ctx.caller.mode === 'test') return linkReply(ctx, await createTestLink(ctx), 'checkout', purchase)
  const inTime = startTimeBudget()
  const standing = await loadBillingState(ctx, ctx.caller.accountId, inTime)
  const decision = decideLink(standing, purchase, ctx.billing.isForSale)
  if (decision.kind === 'refused') throw refusalOf(decision)
  const link = await createCountedCallerLink(ctx, () => openPage(ctx, standing.account, decision, purchase, inTime))
  return linkReply(ctx, link, decision.kind, decision.kind === 'billing_portal' ? null : purchase)
}

type Refused = Extract<LinkDecision, { kind: 'refused' }>

function refusalOf({ code, message }: Refused): ApiError {
  return new ApiError(code, message, code === 'unsupported_plan_change' ? { param: 'plan' } : {})
}

async function openPage(
  ctx: BillingContext,
  account: Account,
  decision: Exclude<LinkDecision, Refused>,
  purchase: Offer,
  inTime: TimeBudget,
): Promise<ProviderLink> {
  const returnUrl = ctx.publicUrl + billingPagePaths.done
  switch (decision.kind) {
    case 'billing_portal':
      return inTime(ctx.billing.createPortal({ customerId: await ensureCustomer(ctx, account, inTime), returnUrl }))
    case 'subscription_update_confirm': {
      const { subscriptionId } = decision
      const customerId = await ensureCustomer(ctx, account, inTime)
      return inTime(ctx.billing.createUpdateConfirmation({ customerId, subscriptionId, ...purchase, returnUrl }))
    }
    case 'checkout': {
      const canceledUrl = ctx.publicUrl + billingPagePaths.canceled
      return openCheckout(ctx, account, purchase, { returnUrl, canceledUrl }, inTime)
    }
  }
}

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
  purchase: Offer,
  ways: Ways,
  inTime: TimeBudget,
): Promise<ProviderLink> {
  const accountPublicId = ctx.ids.seal('account', account.id)
  const expiresAt = new Date(ctx.clock.now().getTime() + lifeMs)
  return withCustomer(ctx, account, inTime, (customerId) =>
    inTime(ctx.billing.createCheckout({ customerId, accountPublicId, ...purchase, ...ways, expiresAt })),
  )
}

/** A link to the provider's portal: invoices, payment details, cancellation and recovery. */
export async function createPortalLink(ctx: BillingContext): Promise<BillingLinkReply> {
  if (ctx.caller.mode === 'test') return linkReply(ctx, await createTestLink(ctx), 'billing_portal', null)
  const { customerId } = (await selectAccount(ctx.db, ctx.caller.accountId))!
  if (customerId === null) throw billingAccountNotFound()
  const inTime = startTimeBudget()
  const returnUrl = ctx.publicUrl + billingPagePaths.done
  const link = await createCountedCallerLink(ctx, () => inTime(ctx.billing.createPortal({ customerId, returnUrl })))
  return linkReply(ctx, link, 'billing_portal', null)
}
