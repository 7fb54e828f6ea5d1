import { emit } from '../../events/emit.ts'
import { presentSubscription } from '../../presenters/subscriptions.ts'
import type { Desk } from '../../state/database.ts'
import { currentSettings } from '../../state/seed.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import { draftSubscriptionInvoice } from '../invoices/invoicing.ts'
import { periodLine } from '../invoices/lines.ts'
import { finalizeAndCharge } from '../invoices/payments.ts'
import { cancelSubscription } from './cancel.ts'
import { nextTurn } from './periods.ts'
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

/** The facts of a subscription whose next period starts now. */
export function startPeriod(
  desk: Desk,
  subscription: Subscription,
): Pick<Subscription, 'items' | 'billing_cycle_anchor' | 'cancel_at'> {
  const recurrence = desk.book.must('prices', subscription.items[0]!.price).recurring!
  const end = nextTurn(subscription.billing_cycle_anchor, recurrence, desk.now)
  return {
    billing_cycle_anchor: subscription.billing_cycle_anchor,
    cancel_at: subscription.cancel_at_period_end ? end : subscription.cancel_at,
    items: subscription.items.map((item) => ({
      ...item,
      current_period_start: desk.now,
      current_period_end: end,
    })),
  }
}

/** A draft for the period that a subscription is in, which its maker finalizes at once. */
export function draftPeriod(
  desk: Desk,
  subscription: Subscription,
  reason: Invoice['billing_reason'],
  facts: Partial<Invoice> = {},
): Invoice {
  return draftSubscriptionInvoice(desk, subscription, {
    reason,
    lines: subscription.items.map((item) => periodLine(desk, subscription.id, item, { free: false })),
    period: { start: subscription.items[0]!.current_period_start, end: subscription.items[0]!.current_period_end },
    facts,
  })
}

/** The draft of a renewal, open to additions for a while; nobody collects one of an unpaid or paused subscription. */
export function draftRenewal(desk: Desk, subscription: Subscription): Invoice {
  const collected = subscription.status !== 'unpaid' && subscription.pause_collection?.behavior !== 'keep_as_draft'
  return draftPeriod(desk, subscription, 'subscription_cycle', {
    auto_advance: collected,
    automatically_finalizes_at: collected ? desk.now + currentSettings(desk.book).draft_seconds : null,
  })
}
