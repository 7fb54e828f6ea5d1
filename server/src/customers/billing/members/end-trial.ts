import { Refusal } from '../../../foundation/kernel/errors.ts'
import { type Access, authorize } from '../../auth/access.ts'
import { recordAudit } from '../../auth/audit.ts'
import { billingPageUrl } from '../context.ts'
import { confirmTrialStep, type TrialRequest, viewTrial } from '../trials/actions.ts'
import { toPlanPrice } from './list-plans.ts'
import type { MemberBillingContext } from './read-billing.ts'
import type { EndTrialReply, TrialReply } from './schema.ts'

export const readingTrial = { member: { role: 'owner' }, kind: 'read' } as const satisfies Access

export const endingTrial = { member: { role: 'owner' }, kind: 'powerful' } as const satisfies Access

/** What ending the trial now means, read from the provider. Changes nothing. */
export async function readTrial(ctx: MemberBillingContext): Promise<TrialReply> {
  authorize(ctx, readingTrial)
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
  ctx: MemberBillingContext,
  { confirmation }: { confirmation: string },
): Promise<EndTrialReply> {
  authorize(ctx, endingTrial)
  const outcome = await confirmTrialStep(ctx, trialRequest(ctx), confirmation)
  if (outcome.kind === 'outdated')
    throw new Refusal('trial_changed', 'The trial has changed since it was shown; nothing was done. Look at it again.')
  if (outcome.kind === 'ended')
    await recordAudit(ctx.db, ctx, {
      accountId: ctx.caller.accountId,
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

function trialRequest(ctx: MemberBillingContext): TrialRequest {
  const { actor, caller, user, now, publicUrl } = ctx
  return {
    permissions: { accountId: caller.accountId, canManageBilling: true },
    subject: `person ${user.id} of account ${caller.accountId}`,
    returnUrl: billingPageUrl(publicUrl, { returned: 'trial' }),
    actor,
    now,
  }
}
