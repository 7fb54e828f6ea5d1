import { presentSubscription } from '../../presenters/subscriptions.ts'
import type { RequestContext } from '../../state/database.ts'
import { emitEvent } from '../../state/emit.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { finalizeAndCharge } from '../invoices/payments.ts'
import { cancelSubscription } from './cancel.ts'
import { draftPeriodInvoice, draftRenewalInvoice, newPeriodFields } from './periods.ts'
import { patchSubscription, paymentMethodForSubscription, reloadSubscription } from './record.ts'

/**
 * Ends a trial now. Without a card, `missing_payment_method` decides: cancel, pause, or bill anyway. At its regular end
 * the invoice stays a draft for a while, as for every renewal; ended early, it is charged at once. `fields` are written
 * together with it.
 */
export function endTrial(
  ctx: RequestContext,
  subscription: Subscription,
  { early, fields = {} }: { early: boolean; fields?: Partial<Subscription> },
): Subscription {
  const trialEnd = early ? ctx.now : subscription.trial_end
  const after = { ...subscription, ...fields }
  if (!paymentMethodForSubscription(ctx, after) && after.collection_method === 'charge_automatically') {
    if (after.missing_payment_method === 'cancel') {
      return cancelSubscription(ctx, ctx.db.update('subscriptions', subscription, { ...fields, trial_end: trialEnd }), {
        reason: null,
      })
    }
    if (after.missing_payment_method === 'pause')
      return pauseSubscription(ctx, subscription, { ...fields, trial_end: trialEnd })
  }
  const period = newPeriodFields(ctx, { ...after, billing_cycle_anchor: ctx.now })
  const started = { ...after, ...period }
  const invoice = early ? draftPeriodInvoice(ctx, started, 'subscription_update') : draftRenewalInvoice(ctx, started)
  const active = patchSubscription(ctx, subscription, {
    ...fields,
    ...period,
    status: 'active',
    trial_end: trialEnd,
    latest_invoice: invoice.id,
  })
  if (early) finalizeAndCharge(ctx, invoice)
  return reloadSubscription(ctx, active)
}

/** Pauses a subscription whose trial ended without a card, until it is resumed. */
function pauseSubscription(
  ctx: RequestContext,
  subscription: Subscription,
  fields: Partial<Subscription>,
): Subscription {
  const paused = patchSubscription(ctx, subscription, { ...fields, status: 'paused' })
  emitEvent(ctx, 'customer.subscription.paused', presentSubscription(ctx, paused))
  return paused
}

/** Stripe announces the end of a trial three days ahead; a shorter trial's at its start. */
export const trialNoticeSeconds = 3 * 86_400

/** Emits `trial_will_end` once, when the end is near. */
export function announceTrialEnd(ctx: RequestContext, subscription: Subscription): void {
  if (subscription.status !== 'trialing' || subscription.trial_will_end_told || subscription.trial_end === null) return
  if (subscription.trial_end - trialNoticeSeconds > ctx.now) return
  const announced = ctx.db.update('subscriptions', subscription, { trial_will_end_told: true })
  emitEvent(ctx, 'customer.subscription.trial_will_end', presentSubscription(ctx, announced))
}
