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

/** A request with a valid trial link. The permissions were read for this request. */
export interface TrialPageRequest {
  permissions: TrialLinkPermissions
  token: string
  now: Date
}

/** Renders the page with what a person can do about the trial. Changes nothing. */
export async function showTrialPage(ctx: TrialPageContext, visit: TrialPageRequest): Promise<Page> {
  const standing = await loadTrialPageState(ctx, visit.permissions, visit.now, startTimeBudget())
  return trialPage(standing, ctx.signer.sign(purpose, confirmedText(visit, standing)))
}

/**
 * Performs the step of the page's form: ends the trial, or returns a page that continues to the provider. Returns null if
 * reloading the trial page shows the outcome. The form's signature covers what the page showed: if the trial has changed
 * since, nothing happens.
 */
export async function confirmTrialForm(
  ctx: TrialPageContext,
  visit: TrialPageRequest,
  confirmation: string,
): Promise<Page | null> {
  const inTime = startTimeBudget()
  const standing = await loadTrialPageState(ctx, visit.permissions, visit.now, inTime)
  // Another request has already ended the trial.
  if (standing.step.kind === 'done') return null
  const text = confirmedText(visit, standing)
  if (!ctx.signer.verify(purpose, text, confirmation)) return outdatedFormPage(standing, ctx.signer.sign(purpose, text))
  return takeStep(ctx, visit, standing, inTime)
}

const purpose = 'trial form'

/** What a form's confirmation signs: the link and what its page showed. */
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

/** Creates the link to the provider's page of a step. The page returns to the same trial link, with the same expiry. */
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
