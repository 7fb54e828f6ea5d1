import type { RequestContext } from '../state/database.ts'
import { completeList } from '../state/emit.ts'
import type { Subscription, SubscriptionItem, SubscriptionSchedule } from '../state/subscription-records.ts'
import { presentPlan, presentPrice } from './catalogue.ts'

/** The API's subscription object; since 2025 the period is on the items. */
export function presentSubscription(ctx: RequestContext, subscription: Subscription) {
  return {
    id: subscription.id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: subscription.billing_cycle_anchor,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: subscription.cancel_at,
    cancel_at_period_end: subscription.cancel_at_period_end,
    canceled_at: subscription.canceled_at,
    cancellation_details: subscription.cancellation,
    collection_method: subscription.collection_method,
    created: subscription.created,
    currency: subscription.currency,
    customer: subscription.customer,
    customer_account: null,
    days_until_due: subscription.days_until_due,
    default_payment_method: subscription.default_payment_method,
    default_source: null,
    default_tax_rates: [],
    description: subscription.description,
    discounts: [],
    ended_at: subscription.ended_at,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: completeList(
      `/v1/subscription_items?subscription=${subscription.id}`,
      subscription.items.map((item) => presentSubscriptionItem(ctx, subscription, item)),
    ),
    latest_invoice: subscription.latest_invoice,
    livemode: false,
    managed_payments: null,
    metadata: subscription.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: subscription.pause_collection,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: subscription.schedule,
    start_date: subscription.start_date,
    status: subscription.status,
    test_clock: null,
    transfer_data: null,
    trial_end: subscription.trial_end,
    trial_settings: { end_behavior: { missing_payment_method: subscription.missing_payment_method } },
    trial_start: subscription.trial_start,
  }
}

function presentSubscriptionItem(ctx: RequestContext, subscription: Subscription, item: SubscriptionItem) {
  const price = ctx.db.getOrThrow('prices', item.price)
  return {
    id: item.id,
    object: 'subscription_item',
    billing_thresholds: null,
    created: item.created,
    current_period_end: item.current_period_end,
    current_period_start: item.current_period_start,
    current_trial: null,
    discounts: [],
    metadata: item.metadata,
    plan: presentPlan(price),
    price: presentPrice(price),
    quantity: item.quantity,
    subscription: subscription.id,
    tax_rates: [],
  }
}

/** The API's schedule object: one phase until the end of the period and one after it. */
export function presentSchedule(ctx: RequestContext, schedule: SubscriptionSchedule) {
  const phase = (price: string, start: number, end: number | null) => ({
    add_invoice_items: [],
    currency: ctx.db.getOrThrow('prices', price).currency,
    end_date: end,
    items: [{ discounts: [], metadata: {}, plan: price, price, quantity: schedule.quantity, tax_rates: [] }],
    metadata: {},
    proration_behavior: 'none',
    start_date: start,
    trial_end: null,
  })
  return {
    id: schedule.id,
    object: 'subscription_schedule',
    application: null,
    canceled_at: schedule.status === 'canceled' ? schedule.ended_at : null,
    completed_at: schedule.status === 'completed' ? schedule.ended_at : null,
    created: schedule.created,
    current_phase: schedule.status === 'active' ? { start_date: schedule.phase_start, end_date: schedule.at } : null,
    customer: schedule.customer,
    customer_account: null,
    end_behavior: 'release',
    livemode: false,
    metadata: {},
    phases: [
      phase(schedule.previous_price, schedule.phase_start, schedule.at),
      phase(schedule.price, schedule.at, null),
    ],
    released_at: schedule.status === 'released' ? schedule.ended_at : null,
    released_subscription: schedule.status === 'released' ? schedule.subscription : null,
    status: schedule.status,
    subscription: schedule.status === 'released' ? null : schedule.subscription,
    test_clock: null,
  }
}
