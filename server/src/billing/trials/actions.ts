import type { Signer } from '../../kernel/signer.ts'
import type { TrialLinks } from '../../usage/trial-links.ts'
import { openCheckout } from '../links/create-links.ts'
import type { Page } from '../links/html-pages.ts'
import { createCountedLink, startTimeBudget, type TimeBudget } from '../links/links.ts'
import type { ProviderLink } from '../provider.ts'
import { type BillingServices, syncAccount } from '../sync/sync-account.ts'
import { outdatedFormPage, redirectPage, trialPage } from './pages.ts'
import { loadTrialPageState, type ProviderStep, type TrialLinkPermissions, type TrialPageState } from './state.ts'

export interface TrialPageContext extends BillingServices {
  signer: Signer
  trialLinks: TrialLinks
}

/** For whom the page is opened, by which link, and when. The powers were read for this request. */
export interface TrialPageRequest {
  permissions: TrialLinkPermissions
  token: string
  now: Date
}

/** Shows what can be done about a trial, and does none of it. */
export async function showTrialPage(ctx: TrialPageContext, visit: TrialPageRequest): Promise<Page> {
  const standing = await loadTrialPageState(ctx, visit.permissions, visit.now, startTimeBudget())
  return trialPage(standing, ctx.signer.sign(purpose, confirmedText(visit, standing)))
}

/**
 * Does what the form of the page was for: ends the trial, or leads to the provider's page that comes before that. Null
 * when the page, opened again, tells the outcome. A form confirms only what its page has shown: once the trial has ended,
 * or leads to something else, it confirms nothing any more.
 */
export async function confirmTrialForm(
  ctx: TrialPageContext,
  visit: TrialPageRequest,
  confirmation: string,
): Promise<Page | null> {
  const inTime = startTimeBudget()
  const standing = await loadTrialPageState(ctx, visit.permissions, visit.now, inTime)
  // Somebody was quicker, perhaps the same person.
  if (standing.step.kind === 'done') return null
  const text = confirmedText(visit, standing)
  if (!ctx.signer.verify(purpose, text, confirmation)) return outdatedFormPage(standing, ctx.signer.sign(purpose, text))
  return takeStep(ctx, visit, standing, inTime)
}

const purpose = 'trial form'

/** What a form stands for: its page's link, and what was shown there. */
function confirmedText({ token }: TrialPageRequest, { step }: TrialPageState): string {
  const subscription = 'subscription' in step ? step.subscription : null
  return JSON.stringify([token, step.kind, subscription?.id, subscription?.trialEnd, subscription?.price])
}

async function takeStep(
  ctx: TrialPageContext,
  visit: TrialPageRequest,
  { accountId, step, linksPerHour }: TrialPageState,
  inTime: TimeBudget,
): Promise<Page | null> {
  switch (step.kind) {
    case 'end_trial':
      await inTime(ctx.billing.endTrial(step.subscription.id))
      await inTime(syncAccount(ctx, accountId))
      return null
    case 'add_payment_method':
    case 'mend_payment':
    case 'buy': {
      const hour = { accountId, mode: 'live', limit: linksPerHour } as const
      const { url } = await createCountedLink({ ...ctx, now: visit.now }, hour, () =>
        openStep(ctx, visit, step, inTime),
      )
      return redirectPage(url)
    }
    case 'needs_manager':
    case 'done':
    case 'over':
    case 'ask':
      return null
  }
}

/** The provider's page of a step. It leads back by the same link, whose end stays what it was. */
function openStep(
  ctx: TrialPageContext,
  { token }: TrialPageRequest,
  step: ProviderStep,
  inTime: TimeBudget,
): Promise<ProviderLink> {
  const returnUrl = ctx.trialLinks.urlOf(token)
  if (step.kind !== 'buy')
    return inTime(ctx.billing.createPaymentMethodUpdate({ customerId: step.customerId, returnUrl }))
  const { account, plan, billing } = step
  return openCheckout(ctx, account, { plan, billing }, { returnUrl, canceledUrl: returnUrl }, inTime)
}
