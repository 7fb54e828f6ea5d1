import type { Account } from '../../accounts/account.ts'
import { ApiError } from '../../kernel/errors.ts'
import { openCheckout } from '../checkout-link.ts'
import type { BillingContext } from '../context.ts'
import { type Deadline, startDeadline } from '../links-deadline.ts'
import type { ProviderLink } from '../provider.ts'
import type { BillingLinkReply, SubscriptionLinkRequest } from '../schema.ts'
import { provideCustomer, readStanding } from '../standing.ts'
import { decideLink, type LinkDecision, type Purchase } from './decision.ts'
import { linkReply, makeLink, makeTestLink, pagePaths } from './links.ts'

/** A link to where a person buys a plan, confirms a higher one, or mends a subscription that is in trouble. */
export async function createSubscriptionLink(
  ctx: BillingContext,
  { plan, billing = 'monthly' }: SubscriptionLinkRequest,
): Promise<BillingLinkReply> {
  const purchase = { plan, billing }
  if (ctx.caller.mode === 'test') return linkReply(ctx, await makeTestLink(ctx), 'checkout', purchase)
  const inTime = startDeadline()
  const standing = await readStanding(ctx, ctx.caller.accountId, inTime)
  const decision = decideLink(standing, purchase, ctx.billing.isSold)
  if (decision.kind === 'refused') throw refusalOf(decision)
  const link = await makeLink(ctx, () => openPage(ctx, standing.account, decision, purchase, inTime))
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
  purchase: Purchase,
  inTime: Deadline,
): Promise<ProviderLink> {
  const returnUrl = ctx.publicUrl + pagePaths.done
  switch (decision.kind) {
    case 'billing_portal':
      return inTime(ctx.billing.createPortal({ customerId: await provideCustomer(ctx, account, inTime), returnUrl }))
    case 'subscription_update_confirm': {
      const { subscriptionId } = decision
      const customerId = await provideCustomer(ctx, account, inTime)
      return inTime(ctx.billing.createUpdateConfirmation({ customerId, subscriptionId, ...purchase, returnUrl }))
    }
    case 'checkout': {
      const canceledUrl = ctx.publicUrl + pagePaths.canceled
      return openCheckout(ctx, account, purchase, { returnUrl, canceledUrl }, inTime)
    }
  }
}
