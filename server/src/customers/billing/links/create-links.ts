import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { Account } from '../../accounts/account.ts'
import { selectAccount } from '../../accounts/queries.ts'
import { type Access, authorize } from '../../auth/access.ts'
import type { BillingContext, BillingLinkPurpose, BillingServices, ReturnUrls } from '../context.ts'
import type { Offer, PortalPage, ProviderLink, ProviderSubscription } from '../provider.ts'
import type { BillingLink, SubscriptionLinkRequest } from '../schema.ts'
import { type BillingState, ensureCustomer, loadBillingState, withCustomer } from '../status.ts'
import {
  billingAccountNotFound,
  createCallerLink,
  createTestLink,
  linkReply,
  startTimeBudget,
  type TimeBudget,
} from './counted-links.ts'
import { decideLink, type LinkDecision } from './decide-link.ts'

export const managingBilling = {
  key: { scope: 'billing:manage', billingLimit: 'billing_links' },
  member: { role: 'owner' },
  kind: 'edit',
} as const satisfies Access

/** Creates a link to a checkout, to the confirmation of a higher plan, or to the portal for a payment problem. */
export async function createSubscriptionLink(
  ctx: BillingContext,
  { plan, billing = 'monthly' }: SubscriptionLinkRequest,
): Promise<BillingLink> {
  authorize(ctx, managingBilling)
  const offer = { plan, billing }
  if (ctx.caller.mode === 'test') return testLinkReply(ctx, { kind: 'checkout', target: offer })
  const withinBudget = startTimeBudget()
  const state = await loadBillingState(ctx, ctx.caller.accountId, withinBudget)
  const decision = decideLink(state, offer, ctx.billing.isForSale)
  if (decision.kind === 'refused') throw toRefusal(decision)
  const purpose = { kind: decision.kind, target: decision.kind === 'billing_portal' ? null : offer }
  const urls = ctx.returnUrlsOf(purpose)
  const link = await createCallerLink(ctx, purpose, () => openPage(ctx, state, decision, { offer, urls }, withinBudget))
  return linkReply(ctx, link, purpose)
}

async function testLinkReply(ctx: BillingContext, purpose: BillingLinkPurpose): Promise<BillingLink> {
  return linkReply(ctx, await createTestLink(ctx, purpose), purpose)
}

type RefusedDecision = Extract<LinkDecision, { kind: 'refused' }>

function toRefusal({ code, message }: RefusedDecision): Refusal {
  return new Refusal(code, message, code === 'unsupported_plan_change' ? { param: 'plan' } : {})
}

async function openPage(
  ctx: BillingContext,
  { account, subscriptions }: BillingState,
  decision: Exclude<LinkDecision, RefusedDecision>,
  { offer, urls }: { offer: Offer; urls: ReturnUrls },
  withinBudget: TimeBudget,
): Promise<ProviderLink> {
  switch (decision.kind) {
    case 'billing_portal': {
      const customerId = await ensureCustomer(ctx, account, withinBudget)
      const opensAt = pageForRecovery(subscriptions)
      return withinBudget(ctx.billing.createPortal({ customerId, returnUrl: urls.returnUrl, opensAt }))
    }
    case 'subscription_update_confirm': {
      const { subscriptionId } = decision
      const customerId = await ensureCustomer(ctx, account, withinBudget)
      return withinBudget(ctx.billing.createUpdateConfirmation({ customerId, subscriptionId, ...offer, ...urls }))
    }
    case 'checkout':
      return openCheckout(ctx, account, offer, urls, withinBudget)
  }
}

/**
 * Another payment method settles a failed payment, and is missing where a trial ended without one. A paused subscription
 * that has one is resumed on the portal's home.
 */
function pageForRecovery(subscriptions: readonly ProviderSubscription[]): PortalPage {
  const canBeResumed = subscriptions.some(({ status, hasPaymentMethod }) => status === 'paused' && hasPaymentMethod)
  return canBeResumed ? 'home' : 'payment_method'
}

// Stripe requires at least half an hour; its clock may be a little behind ours.
const checkoutLifetimeMs = 31 * 60_000

/** Creates the account's only open checkout. It is short-lived, so that the offer is still right when it is paid. */
export function openCheckout(
  ctx: BillingServices,
  account: Account,
  offer: Offer,
  urls: ReturnUrls,
  withinBudget: TimeBudget,
): Promise<ProviderLink> {
  const accountPublicId = ctx.ids.seal('account', account.id)
  const expiresAt = new Date(ctx.clock.now().getTime() + checkoutLifetimeMs)
  return withCustomer(ctx, account, withinBudget, (customerId) =>
    withinBudget(ctx.billing.createCheckout({ customerId, accountPublicId, ...offer, ...urls, expiresAt })),
  )
}

/** Creates a link to the provider's portal: invoices, payment details, cancellation and recovery. */
export async function createPortalLink(ctx: BillingContext): Promise<BillingLink> {
  authorize(ctx, managingBilling)
  const purpose = { kind: 'billing_portal', target: null } as const
  if (ctx.caller.mode === 'test') return testLinkReply(ctx, purpose)
  const { customerId } = (await selectAccount(ctx.db, ctx.caller.accountId))!
  if (customerId === null) throw billingAccountNotFound()
  const withinBudget = startTimeBudget()
  const { returnUrl } = ctx.returnUrlsOf(purpose)
  const link = await createCallerLink(ctx, purpose, () =>
    withinBudget(ctx.billing.createPortal({ customerId, returnUrl, opensAt: 'home' })),
  )
  return linkReply(ctx, link, purpose)
}
