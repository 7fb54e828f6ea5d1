import type { Account } from '../../accounts/account.ts'
import { type Limits, planSlugs } from '../../accounts/plans.ts'
import { authorize } from '../../auth/access.ts'
import { decideLink } from '../links/decide-link.ts'
import { priceOf, readPrices } from '../prices.ts'
import { billingIntervals, type Offer, type OfferPrice, type Price, paidPlans } from '../provider.ts'
import { storedSubscriptions } from '../status.ts'
import { type MemberBillingContext, readingBilling } from './read-billing.ts'
import type { ComparedPlan, PlanListReply, PlanOffer } from './schema.ts'

/**
 * Every plan of the plan file with its figures for this account, its prices, and what taking it would mean: decided like
 * the links themselves, from the stored subscription.
 */
export async function listPlans(ctx: MemberBillingContext): Promise<PlanListReply> {
  authorize(ctx, readingBilling)
  const prices = await readPrices(ctx.billing)
  return {
    object: 'list',
    data: planSlugs.map((slug) => ({
      object: 'plan',
      slug,
      name: ctx.plans.plans[slug].name,
      current: slug === ctx.account.planInForce,
      limits: figuresOf({ ...ctx.plans.plans[slug].limits, ...ctx.account.limits }),
      offers: paidPlans
        .filter((plan) => plan === slug)
        .flatMap((plan) => billingIntervals.map((billing) => describeOffer(ctx, { plan, billing }, prices))),
    })),
    has_more: false,
    next_cursor: null,
    request_id: ctx.requestId,
  }
}

function figuresOf(limits: Limits): ComparedPlan['limits'] {
  const { contact_credits, store_exports, search_rows, requests_per_minute, requests_per_day } = limits
  return { contact_credits, store_exports, search_rows, requests_per_minute, requests_per_day }
}

function describeOffer(ctx: MemberBillingContext, offer: Offer, prices: readonly OfferPrice[]): PlanOffer {
  const price = priceOf(prices, offer)
  return {
    billing: offer.billing,
    for_sale: ctx.billing.isForSale(offer.plan, offer.billing),
    price: price && toPlanPrice(price),
    ...changeTo(ctx, offer),
  }
}

export function toPlanPrice({ amount, currency, interval, intervalCount }: Price): NonNullable<PlanOffer['price']> {
  return { amount, currency, interval, interval_count: intervalCount }
}

function changeTo({ account, billing }: MemberBillingContext, offer: Offer): Pick<PlanOffer, 'change' | 'link'> {
  if (account.billingConflict !== null) return { change: 'support', link: null }
  const decision = decideLink({ account, subscriptions: storedSubscriptions(account) }, offer, billing.isForSale)
  switch (decision.kind) {
    case 'billing_portal':
      return { change: 'recover', link: decision.kind }
    case 'checkout':
      return { change: account.planInForce === 'free' || !account.accessOpen ? 'buy' : 'upgrade', link: decision.kind }
    case 'subscription_update_confirm':
      return { change: 'upgrade', link: decision.kind }
    case 'refused':
      return decision.code === 'billing_support_required'
        ? { change: 'support', link: null }
        : changeWithoutLink(account, offer)
  }
}

/** Refuses the current plan and a lower one, which the portal offers to subscribers. */
function changeWithoutLink(account: Account, { plan, billing }: Offer): Pick<PlanOffer, 'change' | 'link'> {
  const isSameBilling = account.billing === billing || account.subscriptionId === null
  if (plan === account.planInForce && isSameBilling)
    return { change: account.trialing ? 'end_trial' : 'current', link: null }
  return { change: 'downgrade', link: account.subscriptionId === null ? null : 'billing_portal' }
}
