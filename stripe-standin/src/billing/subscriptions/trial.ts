import { emit } from '../../events/emit.ts'
import { presentSubscription } from '../../presenters/subscriptions.ts'
import type { Desk } from '../../state/database.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { finalizeAndCharge } from '../invoices/payments.ts'
import { cancelSubscription } from './cancel.ts'
import { draftPeriod, draftRenewal, startPeriod } from './periods.ts'
import { changeSubscription, current, methodOf } from './record.ts'

/**
 * Ends a trial at this moment. Without a card to charge, the subscription's own setting decides: canceled, paused, or
 * billed all the same. At its natural end the invoice stays a draft for a while, as every renewal's; ended early it is
 * charged at once. `facts` are changed along with it.
 */
export function endTrial(
  desk: Desk,
  subscription: Subscription,
  { early, facts = {} }: { early: boolean; facts?: Partial<Subscription> },
): Subscription {
  const trialEnd = early ? desk.now : subscription.trial_end
  const after = { ...subscription, ...facts }
  if (!methodOf(desk, after) && after.collection_method === 'charge_automatically') {
    if (after.missing_payment_method === 'cancel') {
      return cancelSubscription(
        desk,
        desk.book.amend('subscriptions', subscription, { ...facts, trial_end: trialEnd }),
        {
          reason: null,
        },
      )
    }
    if (after.missing_payment_method === 'pause')
      return pauseSubscription(desk, subscription, { ...facts, trial_end: trialEnd })
  }
  const period = startPeriod(desk, { ...after, billing_cycle_anchor: desk.now })
  const started = { ...after, ...period }
  const invoice = early ? draftPeriod(desk, started, 'subscription_update') : draftRenewal(desk, started)
  const active = changeSubscription(desk, subscription, {
    ...facts,
    ...period,
    status: 'active',
    trial_end: trialEnd,
    latest_invoice: invoice.id,
  })
  if (early) finalizeAndCharge(desk, invoice)
  return current(desk, active)
}

/** Stops a subscription whose trial ended without a card, until it is resumed. */
function pauseSubscription(desk: Desk, subscription: Subscription, facts: Partial<Subscription>): Subscription {
  const paused = changeSubscription(desk, subscription, { ...facts, status: 'paused' })
  emit(desk, 'customer.subscription.paused', presentSubscription(desk, paused))
  return paused
}

/** Three days before it ends, a trial's end is announced; a shorter one is announced at its start. */
export const trialNoticeSeconds = 3 * 86_400

/** Tells of a trial's coming end when it is near and was not told yet. */
export function announceTrialEnd(desk: Desk, subscription: Subscription): void {
  if (subscription.status !== 'trialing' || subscription.trial_will_end_told || subscription.trial_end === null) return
  if (subscription.trial_end - trialNoticeSeconds > desk.now) return
  const told = desk.book.amend('subscriptions', subscription, { trial_will_end_told: true })
  emit(desk, 'customer.subscription.trial_will_end', presentSubscription(desk, told))
}
