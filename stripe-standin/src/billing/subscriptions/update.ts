import type { RequestContext } from '../../state/database.ts'
import { invalidRequest } from '../../state/errors.ts'
import type { ProrationBehavior } from '../../state/session-records.ts'
import type { Subscription, SubscriptionItem } from '../../state/subscription-records.ts'
import { addPendingInvoiceItem, remainingPeriodLine } from '../invoices/lines.ts'
import { applyItemChange } from './change-items.ts'
import { endSchedule, hasEnded, patchSubscription, reloadSubscription } from './record.ts'
import type { PaymentBehavior } from './start.ts'
import { announceTrialEnd, endTrial } from './trial.ts'

/** The requested changes; undefined fields stay as they are. */
interface SubscriptionUpdate {
  readonly items?: readonly SubscriptionItem[] | undefined
  readonly trialEnd?: number | 'now' | undefined
  readonly cancelAtPeriodEnd?: boolean | undefined
  readonly cancelAt?: number | null | undefined
  readonly proration: ProrationBehavior
  readonly prorationDate?: number | undefined
  readonly behavior: PaymentBehavior
  readonly anchor: 'now' | 'unchanged'
  /** Fields written as given: metadata, description, payment method and the like. */
  readonly fields: Partial<Subscription>
}

/** Applies all requested changes to a subscription with one `updated` event and at most one invoice. */
export function updateSubscription(
  ctx: RequestContext,
  subscription: Subscription,
  update: SubscriptionUpdate,
): Subscription {
  if (hasEnded(subscription)) {
    const { metadata, cancellation, ...others } = update.fields
    const more = update.items ?? update.trialEnd ?? update.cancelAtPeriodEnd ?? update.cancelAt
    if (more !== undefined || Object.keys(others).length > 0)
      throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.')
    return patchSubscription(ctx, subscription, update.fields)
  }
  const fields = { ...update.fields, ...cancellationFields(ctx, subscription, update) }
  if (update.items && subscription.schedule) {
    // Changing items now replaces the scheduled change.
    endSchedule(ctx, subscription, 'released')
    fields.schedule = null
  }
  if (update.trialEnd === 'now' && subscription.status === 'trialing') {
    return endTrial(ctx, subscription, {
      early: true,
      fields: { ...fields, ...(update.items && { items: update.items }) },
    })
  }
  if (typeof update.trialEnd === 'number') return extendTrial(ctx, subscription, update, update.trialEnd, fields)
  // Without a trial to end, Stripe starts a new period.
  const anchor = update.trialEnd === 'now' ? 'now' : update.anchor
  if (update.items || anchor === 'now') {
    const change = {
      items: update.items ?? subscription.items,
      proration: update.proration,
      anchor,
      from: update.prorationDate ?? ctx.now,
    }
    return applyItemChange(ctx, subscription, change, { behavior: update.behavior, fields })
  }
  return patchSubscription(ctx, subscription, fields)
}

function cancellationFields(
  ctx: RequestContext,
  subscription: Subscription,
  { cancelAtPeriodEnd, cancelAt }: SubscriptionUpdate,
): Partial<Subscription> & { schedule?: null } {
  const { cancellation } = subscription
  if (cancelAtPeriodEnd === true || typeof cancelAt === 'number') {
    return {
      cancel_at_period_end: cancelAtPeriodEnd ?? false,
      cancel_at: typeof cancelAt === 'number' ? cancelAt : subscription.items[0]!.current_period_end,
      canceled_at: ctx.now,
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

/** Extends a trial to `trialEnd`, or starts one in mid-period and credits the unused paid time. */
function extendTrial(
  ctx: RequestContext,
  subscription: Subscription,
  update: SubscriptionUpdate,
  trialEnd: number,
  fields: Partial<Subscription>,
): Subscription {
  const inTrial = subscription.status === 'trialing'
  if (!inTrial && update.proration !== 'none') {
    for (const item of subscription.items)
      addPendingInvoiceItem(ctx, subscription, remainingPeriodLine(ctx, subscription, item, ctx.now, 'credit'))
  }
  const cancelsThen = fields.cancel_at_period_end ?? subscription.cancel_at_period_end
  const changed = patchSubscription(ctx, subscription, {
    ...fields,
    status: 'trialing',
    trial_start: inTrial ? subscription.trial_start : ctx.now,
    trial_end: trialEnd,
    trial_will_end_told: false,
    billing_cycle_anchor: trialEnd,
    ...(cancelsThen && { cancel_at: trialEnd }),
    items: (update.items ?? subscription.items).map((item) => ({
      ...item,
      current_period_start: inTrial ? item.current_period_start : ctx.now,
      current_period_end: trialEnd,
    })),
  })
  announceTrialEnd(ctx, changed)
  return reloadSubscription(ctx, changed)
}
