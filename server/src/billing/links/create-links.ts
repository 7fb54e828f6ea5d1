import type { Account } from '../../accounts/account.ts'
import { selectAccount } from '../../accounts/queries.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Offer, ProviderLink } from '../provider.ts'
import type { BillingLinkReply, SubscriptionLinkRequest } from '../schema.ts'
import { ensureCustomer, loadBillingState, withCustomer } from '../status.ts'
import type { BillingContext, BillingServices } from '../sync/sync-account.ts'
import { decideLink, type LinkDecision } from './decide-link.ts'
import {
  billingAccountNotFound,
  billingPagePaths,
  createCallerLink,
  createTestLink,
  linkReply,
  startTimeBudget,
  type TimeBudget,
} from './links.ts'

/** Creates a link to a checkout, to the confirmation of a higher plan, or to the portal for a payment problem. */
export async function createSubscriptionLink(
  ctx: BillingContext,
  { plan, billing = 'monthly' }: SubscriptionLinkRequest,
): Promise<BillingLinkReply> {
  const offer = { plan, billing }
  if (ctx.caller.mode === 'test') return linkReply(ctx, await createTestLink(ctx), 'checkout', offer)
  const withinBudget = startTimeBudget()
  const state = await loadBillingState(ctx, ctx.caller.accountId, withinBudget)
  const decision = decideLink(state, offer, ctx.billing.isForSale)
  if (decision.kind === 'refused') throw toApiError(decision)
  const link = await createCallerLink(ctx, () => openPage(ctx, state.account, decision, offer, withinBudget))
  return linkReply(ctx, link, decision.kind, decision.kind === 'billing_portal' ? null : offer)
}

type RefusedDecision = Extract<LinkDecision, { kind: 'refused' }>

function toApiError({ code, message }: RefusedDecision): ApiError {
  return new ApiError(code, message, code === 'unsupported_plan_change' ? { param: 'plan' } : {})
}

async function openPage(
  ctx: BillingContext,
  account: Account,
  decision: Exclude<LinkDecision, RefusedDecision>,
  offer: Offer,
  withinBudget: TimeBudget,
): Promise<ProviderLink> {
  const returnUrl = ctx.publicUrl + billingPagePaths.done
  switch (decision.kind) {
    case 'billing_portal':
      return withinBudget(
        ctx.billing.createPortal({ customerId: await ensureCustomer(ctx, account, withinBudget), returnUrl }),
      )
    case 'subscription_update_confirm': {
      const { subscriptionId } = decision
      const customerId = await ensureCustomer(ctx, account, withinBudget)
      return withinBudget(ctx.billing.createUpdateConfirmation({ customerId, subscriptionId, ...offer, returnUrl }))
    }
    case 'checkout': {
      const canceledUrl = ctx.publicUrl + billingPagePaths.canceled
      return openCheckout(ctx, account, offer, { returnUrl, canceledUrl }, withinBudget)
    }
  }
}

// Stripe requires at least half an hour; its clock may be a little behind ours.
const checkoutLifetimeMs = 31 * 60_000

/** The pages a checkout redirects to: after buying, and after canceling. */
interface RedirectUrls {
  returnUrl: string
  canceledUrl: string
}

/** Creates the account's only open checkout. It is short-lived, so that the offer is still right when it is paid. */
export function openCheckout(
  ctx: BillingServices,
  account: Account,
  offer: Offer,
  redirectUrls: RedirectUrls,
  withinBudget: TimeBudget,
): Promise<ProviderLink> {
  const accountPublicId = ctx.ids.seal('account', account.id)
  const expiresAt = new Date(ctx.clock.now().getTime() + checkoutLifetimeMs)
  return withCustomer(ctx, account, withinBudget, (customerId) =>
    withinBudget(ctx.billing.createCheckout({ customerId, accountPublicId, ...offer, ...redirectUrls, expiresAt })),
  )
}

/** Creates a link to the provider's portal: invoices, payment details, cancellation and recovery. */
export async function createPortalLink(ctx: BillingContext): Promise<BillingLinkReply> {
  if (ctx.caller.mode === 'test') return linkReply(ctx, await createTestLink(ctx), 'billing_portal', null)
  const { customerId } = (await selectAccount(ctx.db, ctx.caller.accountId))!
  if (customerId === null) throw billingAccountNotFound()
  const withinBudget = startTimeBudget()
  const returnUrl = ctx.publicUrl + billingPagePaths.done
  const link = await createCallerLink(ctx, () => withinBudget(ctx.billing.createPortal({ customerId, returnUrl })))
  return linkReply(ctx, link, 'billing_portal', null)
}
