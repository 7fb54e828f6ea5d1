import type { Signer } from '../kernel/signer.ts'
import type { TrialLinks } from '../usage/trial-links.ts'
import { openCheckout } from './checkout-link.ts'
import type { BillingServices } from './context.ts'
import { type Deadline, startDeadline } from './links-deadline.ts'
import type { Page } from './page.ts'
import { syncAccount } from './sync-account.ts'
import { onwardPage, outdatedPage, trialPage } from './trial-page.ts'
import { readTrialStanding, type TrialStanding, type TrialStep } from './trial-standing.ts'

export interface TrialPageContext extends BillingServices {
  signer: Signer
  trialLinks: TrialLinks
}

/** Who opened the page, by which link, and when. */
export interface TrialVisit {
  accountId: number
  token: string
  now: Date
}

/** Shows what can be done about a trial, and does none of it. */
export async function showTrial(ctx: TrialPageContext, visit: TrialVisit): Promise<Page> {
  const standing = await readTrialStanding(ctx, visit.accountId, visit.now, startDeadline())
  return trialPage(standing, ctx.signer.sign(purpose, confirmedText(visit, standing)))
}

/**
 * Does what the form of the page was for: ends the trial, or leads to the provider's page that comes before that. Null
 * when the page, opened again, tells the outcome. A form confirms only what its page has shown: once the trial has ended,
 * or leads to something else, it confirms nothing any more.
 */
export async function confirmTrial(
  ctx: TrialPageContext,
  visit: TrialVisit,
  confirmation: string,
): Promise<Page | null> {
  const inTime = startDeadline()
  const standing = await readTrialStanding(ctx, visit.accountId, visit.now, inTime)
  // Somebody was quicker, perhaps the same person.
  if (standing.step.kind === 'done') return null
  const text = confirmedText(visit, standing)
  if (!ctx.signer.isSigned(purpose, text, confirmation)) return outdatedPage(standing, ctx.signer.sign(purpose, text))
  return takeStep(ctx, visit, standing.step, inTime)
}

const purpose = 'trial form'

/** What a form stands for: its page's link, and what was shown there. */
function confirmedText({ token }: TrialVisit, { step }: TrialStanding): string {
  const subscription = 'subscription' in step ? step.subscription : null
  return JSON.stringify([token, step.kind, subscription?.id, subscription?.trialEnd, subscription?.price])
}

async function takeStep(
  ctx: TrialPageContext,
  { accountId, now }: TrialVisit,
  step: TrialStep,
  inTime: Deadline,
): Promise<Page | null> {
  const returnUrl = ctx.trialLinks.urlFor({ accountId, mode: 'live' }, now)
  switch (step.kind) {
    case 'end_trial':
      await inTime(ctx.billing.endTrial(step.subscription.id))
      await inTime(syncAccount(ctx, accountId))
      return null
    case 'add_payment_method':
    case 'mend_payment': {
      const { url } = await inTime(ctx.billing.createPortal({ customerId: step.customerId, returnUrl }))
      return onwardPage(url)
    }
    case 'buy': {
      const { account, plan, billing } = step
      const ways = { returnUrl, canceledUrl: returnUrl }
      const { url } = await openCheckout(ctx, account, { plan, billing }, ways, inTime)
      return onwardPage(url)
    }
    case 'done':
    case 'over':
    case 'ask':
      return null
  }
}
