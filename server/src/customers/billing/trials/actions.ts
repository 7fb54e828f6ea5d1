import type { Signer } from '../../../foundation/kernel/signer.ts'
import type { ActorContext } from '../../auth/actor.ts'
import type { BillingServices } from '../context.ts'
import { createCountedLink, startTimeBudget, type TimeBudget } from '../links/counted-links.ts'
import { openCheckout } from '../links/create-links.ts'
import type { ProviderLink } from '../provider.ts'
import { syncAccount } from '../sync/sync-account.ts'
import { loadTrialState, type ProviderStep, type TrialPermissions, type TrialState } from './state.ts'

export interface TrialServices extends BillingServices {
  signer: Signer
}

/** A visitor of the trial page, who looks or confirms. */
export interface TrialRequest extends ActorContext {
  /** Read for this request. */
  permissions: TrialPermissions
  /** For whom a confirmation is valid: the holder of a trial link, or a person at an account. */
  subject: string
  /** The page from which the request came; the provider's pages lead back to it. */
  returnUrl: string
}

/** A trial with what can be done about it, and the signed confirmation of having seen exactly that. */
export interface TrialPageState {
  state: TrialState
  confirmation: string
}

export type TrialOutcome =
  /** The trial is ended, and the paid plan was started. */
  | { kind: 'ended'; state: TrialState }
  /** The next step is on a page of the provider. A capability: never log it. */
  | { kind: 'link'; link: ProviderLink }
  /** The trial has changed since it was shown; nothing was done. */
  | { kind: 'outdated'; view: TrialPageState }
  /** There is nothing to do, or this caller may not do it. */
  | { kind: 'unchanged' }

/** Reads the trial and what can be done about it. Changes nothing. */
export async function viewTrial(ctx: TrialServices, request: TrialRequest): Promise<TrialPageState> {
  const state = await loadTrialState(ctx, request.permissions, request.now, startTimeBudget())
  return { state, confirmation: ctx.signer.sign(signaturePurpose, signedText(request, state)) }
}

/**
 * Does what was shown: ends the trial, or creates a link to the provider's page for the next step. The confirmation covers
 * what was shown: if the trial has changed since, nothing happens.
 */
export async function confirmTrialStep(
  ctx: TrialServices,
  request: TrialRequest,
  confirmation: string,
): Promise<TrialOutcome> {
  const withinBudget = startTimeBudget()
  const state = await loadTrialState(ctx, request.permissions, request.now, withinBudget)
  // Another request has already ended the trial.
  if (state.step.kind === 'plan_active') return { kind: 'unchanged' }
  const text = signedText(request, state)
  if (!ctx.signer.verify(signaturePurpose, text, confirmation))
    return { kind: 'outdated', view: { state, confirmation: ctx.signer.sign(signaturePurpose, text) } }
  return performStep(ctx, request, state, withinBudget)
}

const signaturePurpose = 'trial form'

/** The signed content of a confirmation: the account, and the page that was shown. */
function signedText({ subject }: TrialRequest, { step }: TrialState): string {
  const subscription = 'subscription' in step ? step.subscription : null
  return JSON.stringify([subject, step.kind, subscription?.id, subscription?.trialEnd, subscription?.price])
}

async function performStep(
  ctx: TrialServices,
  request: TrialRequest,
  state: TrialState,
  withinBudget: TimeBudget,
): Promise<TrialOutcome> {
  const { accountId, step, linksPerHour } = state
  switch (step.kind) {
    case 'end_trial':
      await withinBudget(ctx.billing.endTrial(step.subscription.id))
      await withinBudget(syncAccount(ctx, accountId))
      return { kind: 'ended', state }
    case 'add_payment_method':
    case 'retry_payment':
    case 'buy': {
      const { actor, now } = request
      const hour = { accountId, mode: 'live', limit: linksPerHour } as const
      const link = await createCountedLink(
        { ...ctx, actor, now },
        hour,
        step.kind === 'buy'
          ? { kind: 'checkout', target: { plan: step.plan, billing: step.billing } }
          : { kind: 'billing_portal', target: null },
        () => createStepLink(ctx, request, step, withinBudget),
      )
      return { kind: 'link', link }
    }
    case 'needs_manager':
    case 'plan_active':
    case 'no_plan':
    case 'contact_operator':
      return { kind: 'unchanged' }
  }
}

/** Creates the link to the provider's page of a step, which returns to where the request came from. */
function createStepLink(
  ctx: TrialServices,
  { returnUrl }: TrialRequest,
  step: ProviderStep,
  withinBudget: TimeBudget,
): Promise<ProviderLink> {
  if (step.kind !== 'buy')
    return withinBudget(ctx.billing.createPaymentMethodUpdate({ customerId: step.customerId, returnUrl }))
  const { account, plan, billing } = step
  return openCheckout(ctx, account, { plan, billing }, { returnUrl, canceledUrl: returnUrl }, withinBudget)
}
