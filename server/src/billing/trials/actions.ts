import type { Signer } from '../../kernel/signer.ts'
import type { TrialLinks } from '../../usage/trial-links.ts'
import { openCheckout } from '../links/create-links.ts'
import type { HtmlPage } from '../links/html-pages.ts'
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
export async function showTrialPage(ctx: TrialPageContext, pageRequest: TrialPageRequest): Promise<HtmlPage> {
  const state = await loadTrialPageState(ctx, pageRequest.permissions, pageRequest.now, startTimeBudget())
  return trialPage(state, ctx.signer.sign(signaturePurpose, signedText(pageRequest, state)))
}

/**
 * Performs the step of the page's form: ends the trial, or returns a page that continues to the provider. Returns null if
 * reloading the trial page shows the outcome. The form's signature covers what the page showed: if the trial has changed
 * since, nothing happens.
 */
export async function confirmTrialForm(
  ctx: TrialPageContext,
  pageRequest: TrialPageRequest,
  confirmation: string,
): Promise<HtmlPage | null> {
  const withinBudget = startTimeBudget()
  const state = await loadTrialPageState(ctx, pageRequest.permissions, pageRequest.now, withinBudget)
  // Another request has already ended the trial.
  if (state.step.kind === 'plan_active') return null
  const text = signedText(pageRequest, state)
  if (!ctx.signer.verify(signaturePurpose, text, confirmation))
    return outdatedFormPage(state, ctx.signer.sign(signaturePurpose, text))
  return performStep(ctx, pageRequest, state, withinBudget)
}

const signaturePurpose = 'trial form'

/** What a form's confirmation signs: the link and what its page showed. */
function signedText({ token }: TrialPageRequest, { step }: TrialPageState): string {
  const subscription = 'subscription' in step ? step.subscription : null
  return JSON.stringify([token, step.kind, subscription?.id, subscription?.trialEnd, subscription?.price])
}

async function performStep(
  ctx: TrialPageContext,
  pageRequest: TrialPageRequest,
  { accountId, step, linksPerHour }: TrialPageState,
  withinBudget: TimeBudget,
): Promise<HtmlPage | null> {
  switch (step.kind) {
    case 'end_trial':
      await withinBudget(ctx.billing.endTrial(step.subscription.id))
      await withinBudget(syncAccount(ctx, accountId))
      return null
    case 'add_payment_method':
    case 'retry_payment':
    case 'buy': {
      const hour = { accountId, mode: 'live', limit: linksPerHour } as const
      const { url } = await createCountedLink({ ...ctx, now: pageRequest.now }, hour, () =>
        createStepLink(ctx, pageRequest, step, withinBudget),
      )
      return redirectPage(url)
    }
    case 'needs_manager':
    case 'plan_active':
    case 'no_plan':
    case 'contact_operator':
      return null
  }
}

/** Creates the link to the provider's page of a step. The page returns to the same trial link, with the same expiry. */
function createStepLink(
  ctx: TrialPageContext,
  { token }: TrialPageRequest,
  step: ProviderStep,
  withinBudget: TimeBudget,
): Promise<ProviderLink> {
  const returnUrl = ctx.trialLinks.urlOf(token)
  if (step.kind !== 'buy')
    return withinBudget(ctx.billing.createPaymentMethodUpdate({ customerId: step.customerId, returnUrl }))
  const { account, plan, billing } = step
  return openCheckout(ctx, account, { plan, billing }, { returnUrl, canceledUrl: returnUrl }, withinBudget)
}
