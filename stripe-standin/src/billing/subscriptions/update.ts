import { invalidRequest } from '../../http/errors.ts'
import type { Desk } from '../../state/database.ts'
import type { ProrationBehavior } from '../../state/session-records.ts'
import type { Subscription, SubscriptionItem } from '../../state/subscription-records.ts'
import { restLine, waitForNextInvoice } from '../invoices/lines.ts'
import { applyChange } from './change-items.ts'
import { changeSubscription, current, endSchedule, hasEnded } from './record.ts'
import type { PaymentBehavior } from './start.ts'
import { announceTrialEnd, endTrial } from './trial.ts'

/** What a caller wants changed; what is undefined stays as it is. */
export interface SubscriptionUpdate {
  readonly items?: readonly SubscriptionItem[] | undefined
  readonly trialEnd?: number | 'now' | undefined
  readonly cancelAtPeriodEnd?: boolean | undefined
  readonly cancelAt?: number | null | undefined
  readonly proration: ProrationBehavior
  readonly prorationDate?: number | undefined
  readonly behavior: PaymentBehavior
  readonly anchor: 'now' | 'unchanged'
  /** What is simply written down: metadata, description, cards and the like. */
  readonly facts: Partial<Subscription>
}

/** Changes a subscription in all the ways its owner asks for, with one `updated` event and at most one invoice. */
export function updateSubscription(desk: Desk, subscription: Subscription, update: SubscriptionUpdate): Subscription {
  if (hasEnded(subscription)) {
    const { metadata, cancellation, ...others } = update.facts
    const more = update.items ?? update.trialEnd ?? update.cancelAtPeriodEnd ?? update.cancelAt
    if (more !== undefined || Object.keys(others).length > 0)
      throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.')
    return changeSubscription(desk, subscription, update.facts)
  }
  const facts = { ...update.facts, ...cancellationFacts(desk, subscription, update) }
  if (update.items && subscription.schedule) {
    // A change of items now overrules the one that was to come.
    endSchedule(desk, subscription, 'released')
    facts.schedule = null
  }
  if (update.trialEnd === 'now' && subscription.status === 'trialing') {
    return endTrial(desk, subscription, {
      early: true,
      facts: { ...facts, ...(update.items && { items: update.items }) },
    })
  }
  if (typeof update.trialEnd === 'number') return extendTrial(desk, subscription, update, update.trialEnd, facts)
  // A trial that is not there cannot end: asked for it, Stripe starts a new period.
  const anchor = update.trialEnd === 'now' ? 'now' : update.anchor
  if (update.items || anchor === 'now') {
    const change = {
      items: update.items ?? subscription.items,
      proration: update.proration,
      anchor,
      from: update.prorationDate ?? desk.now,
    }
    return applyChange(desk, subscription, change, { behavior: update.behavior, facts })
  }
  return changeSubscription(desk, subscription, facts)
}

function cancellationFacts(
  desk: Desk,
  subscription: Subscription,
  { cancelAtPeriodEnd, cancelAt }: SubscriptionUpdate,
): Partial<Subscription> & { schedule?: null } {
  const { cancellation } = subscription
  if (cancelAtPeriodEnd === true || typeof cancelAt === 'number') {
    return {
      cancel_at_period_end: cancelAtPeriodEnd ?? false,
      cancel_at: typeof cancelAt === 'number' ? cancelAt : subscription.items[0]!.current_period_end,
      canceled_at: desk.now,
      cancellation: { ...cancellation, reason: 'cancellation_requested' },
    }
  }
  if (cancelAtPeriodEnd === false || cancelAt === null) {
    return {
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      cancellation: { ...cancellation, reason: null },
    }
  }
  return {}
}

/** Lets a trial last until `trialEnd`, or starts one in mid-period, where the unused paid time becomes credit. */
function extendTrial(
  desk: Desk,
  subscription: Subscription,
  update: SubscriptionUpdate,
  trialEnd: number,
  facts: Partial<Subscription>,
): Subscription {
  const inTrial = subscription.status === 'trialing'
  if (!inTrial && update.proration !== 'none') {
    for (const item of subscription.items)
      waitForNextInvoice(desk, subscription, restLine(desk, subscription, item, desk.now, 'credit'))
  }
  const cancelsThen = facts.cancel_at_period_end ?? subscription.cancel_at_period_end
  const changed = changeSubscription(desk, subscription, {
    ...facts,
    status: 'trialing',
    trial_start: inTrial ? subscription.trial_start : desk.now,
    trial_end: trialEnd,
    trial_will_end_told: false,
    billing_cycle_anchor: trialEnd,
    ...(cancelsThen && { cancel_at: trialEnd }),
    items: (update.items ?? subscription.items).map((item) => ({
      ...item,
      current_period_start: inTrial ? item.current_period_start : desk.now,
      current_period_end: trialEnd,
    })),
  })
  announceTrialEnd(desk, changed)
  return current(desk, changed)
}
