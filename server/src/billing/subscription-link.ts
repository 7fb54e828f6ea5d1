import { isDeepStrictEqual } from 'node:util'
import type { Account } from '../accounts/account.ts'
import { selectAccount } from '../accounts/queries.ts'
import { ApiError } from '../kernel/errors.ts'
import type { BillingContext } from './context.ts'
import { linkReply, makeLink, makeTestLink, pagePaths } from './links.ts'
import { type Deadline, startDeadline } from './links-deadline.ts'
import { decideLink, type LinkDecision, type Purchase } from './links-decision.ts'
import { keepCustomer } from './links-queries.ts'
import type { ProviderLink, ProviderSubscription } from './provider.ts'
import type { BillingLinkReply, SubscriptionLinkRequest } from './schema.ts'
import { syncAccount } from './sync-account.ts'
import { billedTerms, currentTerms } from './sync-terms.ts'

/** A link to where a person buys a plan, confirms a higher one, or mends a subscription that is in trouble. */
export async function createSubscriptionLink(
  ctx: BillingContext,
  { plan, billing = 'monthly' }: SubscriptionLinkRequest,
): Promise<BillingLinkReply> {
  const purchase = { plan, billing }
  if (ctx.caller.mode === 'test') return linkReply(ctx, await makeTestLink(ctx), 'checkout', purchase)
  const inTime = startDeadline()
  const standing = await readStanding(ctx, inTime)
  const decision = decideLink(standing, purchase, ctx.billing.isSold)
  if (decision.kind === 'refused') throw refusalOf(decision)
  const link = await makeLink(ctx, () => openPage(ctx, standing.account, decision, purchase, inTime))
  return linkReply(ctx, link, decision.kind, decision.kind === 'billing_portal' ? null : purchase)
}

type Refused = Extract<LinkDecision, { kind: 'refused' }>

function refusalOf({ code, message }: Refused): ApiError {
  return new ApiError(code, message, code === 'unsupported_plan_change' ? { param: 'plan' } : {})
}

interface Standing {
  account: Account
  subscriptions: ProviderSubscription[]
}

/** How things stand at the provider. When an event of it was lost, what is kept here is mended on the way. */
async function readStanding(ctx: BillingContext, inTime: Deadline): Promise<Standing> {
  const { accountId } = ctx.caller
  const account = (await selectAccount(ctx.db, accountId))!
  if (account.customerId === null) return { account, subscriptions: [] }
  const subscriptions = await inTime(ctx.billing.listSubscriptions(account.customerId))
  if (isDeepStrictEqual(billedTerms(account, subscriptions), currentTerms(account))) return { account, subscriptions }
  await inTime(syncAccount(ctx, accountId))
  return { account: (await selectAccount(ctx.db, accountId))!, subscriptions }
}

async function openPage(
  ctx: BillingContext,
  account: Account,
  decision: Exclude<LinkDecision, Refused>,
  purchase: Purchase,
  inTime: Deadline,
): Promise<ProviderLink> {
  const customerId = account.customerId ?? (await createCustomer(ctx, account, inTime))
  const returnUrl = ctx.publicUrl + pagePaths.done
  switch (decision.kind) {
    case 'billing_portal':
      return inTime(ctx.billing.createPortal({ customerId, returnUrl }))
    case 'subscription_update_confirm': {
      const { subscriptionId } = decision
      return inTime(ctx.billing.createUpdateConfirmation({ customerId, subscriptionId, ...purchase, returnUrl }))
    }
    case 'checkout': {
      const accountPublicId = ctx.ids.seal('account', account.id)
      const canceledUrl = ctx.publicUrl + pagePaths.canceled
      return inTime(ctx.billing.createCheckout({ customerId, accountPublicId, ...purchase, returnUrl, canceledUrl }))
    }
  }
}

/** The account's customer: made once, whatever happens at the same time, for the provider knows it by the account. */
async function createCustomer(ctx: BillingContext, account: Account, inTime: Deadline): Promise<string> {
  const { id, name, email } = account
  const made = ctx.billing.createCustomer({ publicId: ctx.ids.seal('account', id), name, email })
  return keepCustomer(ctx.db, id, await inTime(made))
}
