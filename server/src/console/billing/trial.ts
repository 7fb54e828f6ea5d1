import { recordAuditEntry } from '../../auth/audit.ts'
import { confirmTrialStep, type TrialRequest, type TrialServices, viewTrial } from '../../billing/trials/actions.ts'
import { Refusal } from '../../kernel/errors.ts'
import { auditOrigin, billingPageUrl, type ConsoleBillingContext } from './context.ts'
import { toPlanPrice } from './plans.ts'
import type { EndTrialReply, TrialReply } from './schema.ts'

type ConsoleTrialContext = ConsoleBillingContext & TrialServices

/** What ending the trial now means, read from the provider. Changes nothing. */
export async function readTrial(ctx: ConsoleTrialContext): Promise<TrialReply> {
  const { state, confirmation } = await viewTrial(ctx, trialRequest(ctx))
  const { step, planName, price, trialEndsAt, credits } = state
  const subscription = 'subscription' in step ? step.subscription : null
  // An owner manages billing.
  if (step.kind === 'needs_manager') throw new Error('an owner was refused a step of the trial')
  return {
    object: 'trial',
    step: step.kind,
    plan_name: planName,
    ends_at: trialEndsAt?.toISOString() ?? null,
    price: price && toPlanPrice(price),
    cancel_at_period_end: subscription?.cancelAtPeriodEnd ?? false,
    contact_credits: { total: credits.total, remaining: credits.remaining, after: credits.paidPlanTotal },
    confirmation,
    request_id: ctx.requestId,
  }
}

/** Ends the trial, or answers with a link to the page of the provider that is needed first. */
export async function endTrial(
  ctx: ConsoleTrialContext,
  { confirmation }: { confirmation: string },
): Promise<EndTrialReply> {
  const outcome = await confirmTrialStep(ctx, trialRequest(ctx), confirmation)
  if (outcome.kind === 'outdated')
    throw new Refusal('trial_changed', 'The trial has changed since it was shown; nothing was done. Look at it again.')
  if (outcome.kind === 'ended')
    await recordAuditEntry(ctx.db, {
      ...auditOrigin(ctx),
      action: 'trial.ended',
      details: { plan: ctx.account.planInForce },
    })
  return {
    object: 'trial_step',
    outcome: outcome.kind,
    url: outcome.kind === 'link' ? outcome.link.url : null,
    request_id: ctx.requestId,
  }
}

function trialRequest(ctx: ConsoleTrialContext): TrialRequest {
  const { caller, person, now, publicUrl, recordLink } = ctx
  return {
    permissions: { accountId: caller.accountId, canManageBilling: true },
    subject: `person ${person.id} of account ${caller.accountId}`,
    returnUrl: billingPageUrl(publicUrl, { returned: 'trial' }),
    now,
    ...(recordLink && { recordLink }),
  }
}
