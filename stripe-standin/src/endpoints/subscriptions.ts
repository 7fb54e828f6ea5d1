import { defineEndpoint } from '../api/endpoint.ts'
import { listParams, matchesFilter, paginate } from '../api/lists.ts'
import {
  applyMetadataChange,
  boolean,
  hash,
  ignored,
  integer,
  literalOr,
  matchesTimeFilter,
  oneOf,
  required,
  text,
  timeFilter,
  unsettable,
} from '../api/params.ts'
import { getCustomerPaymentMethod } from '../billing/customers.ts'
import { addPendingInvoiceItem, remainingPeriodLine } from '../billing/invoices/lines.ts'
import { cancelSubscription } from '../billing/subscriptions/cancel.ts'
import { resumePausedSubscription } from '../billing/subscriptions/periods.ts'
import { hasEnded } from '../billing/subscriptions/record.ts'
import { startSubscription } from '../billing/subscriptions/start.ts'
import { updateSubscription } from '../billing/subscriptions/update.ts'
import { presentSubscription } from '../presenters/subscriptions.ts'
import type { RequestContext } from '../state/database.ts'
import { invalidRequest, resourceMissing } from '../state/errors.ts'
import type { Subscription } from '../state/subscription-records.ts'
import { getCustomer, getSubscribablePrice, getSubscription } from './lookup.ts'
import {
  applyItemChanges,
  changedItemsParam,
  checkCompatiblePrices,
  fieldsFromParams,
  newItemsParam,
  sharedParams,
} from './subscription-params.ts'

const daySeconds = 86_400
const statuses = [
  'active',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
] as const
const cancellationDetails = hash({ comment: unsettable(text), feedback: unsettable(text) })

/** Whether the status matches the filter; without one, all but canceled subscriptions do. */
function hasStatus(
  subscription: Subscription,
  wanted: (typeof statuses)[number] | 'all' | 'ended' | undefined,
): boolean {
  if (wanted === 'all') return true
  if (wanted === 'ended') return hasEnded(subscription)
  return wanted === undefined ? subscription.status !== 'canceled' : subscription.status === wanted
}

function checkInFuture(ctx: RequestContext, moment: number | string | null | undefined, param: string): void {
  if (typeof moment === 'number' && moment <= ctx.now)
    throw invalidRequest('Invalid timestamp: must be an integer Unix timestamp in the future.', { param })
}

export const subscriptionEndpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/v1/subscriptions',
    params: {
      ...sharedParams,
      billing_mode: ignored,
      cancel_at: integer(),
      currency: text,
      customer: required(text),
      items: required(newItemsParam),
      trial_period_days: integer({ min: 1, max: 730 }),
    },
    run(ctx, params) {
      const customer = getCustomer(ctx, params.customer)
      const prices = params.items.map(({ price }, index) => getSubscribablePrice(ctx, price, `items[${index}][price]`))
      checkCompatiblePrices(prices)
      if (params.default_payment_method)
        getCustomerPaymentMethod(ctx, params.default_payment_method, customer.id, 'default_payment_method')
      const { trial_end: end, trial_period_days: days } = params
      if (end !== undefined && days !== undefined)
        throw invalidRequest('You may only specify one of these parameters: trial_end, trial_period_days.')
      checkInFuture(ctx, end, 'trial_end')
      checkInFuture(ctx, params.cancel_at, 'cancel_at')
      const trialEnd = typeof end === 'number' ? end : days === undefined ? null : ctx.now + days * daySeconds
      const subscription = startSubscription(ctx, {
        customer: customer.id,
        currency: prices[0]!.currency,
        items: params.items.map(({ price, quantity, metadata }) => ({
          price,
          quantity: quantity ?? 1,
          metadata: applyMetadataChange({}, metadata),
        })),
        trialEnd,
        paymentBehavior: params.payment_behavior ?? 'allow_incomplete',
        missingPaymentMethod: params.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
        fields: {
          ...fieldsFromParams(params, { metadata: {} }),
          ...(params.cancel_at_period_end && { cancel_at_period_end: true }),
          ...(params.cancel_at !== undefined && { cancel_at: params.cancel_at, canceled_at: ctx.now }),
        },
      })
      return presentSubscription(ctx, subscription)
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/subscriptions',
    params: {
      ...listParams,
      collection_method: oneOf('charge_automatically', 'send_invoice'),
      created: timeFilter,
      customer: text,
      price: text,
      status: oneOf(...statuses, 'all', 'ended'),
    },
    run(ctx, { collection_method: method, created, customer, price, status, ...page }) {
      if (customer !== undefined && !ctx.db.get('customers', customer))
        throw resourceMissing('customer', customer, 'customer')
      return paginate({
        url: '/v1/subscriptions',
        objectName: 'subscription',
        records: ctx.db.all('subscriptions'),
        matches: (subscription) =>
          hasStatus(subscription, status) &&
          matchesFilter(customer, subscription.customer) &&
          matchesFilter(method, subscription.collection_method) &&
          (price === undefined || subscription.items.some((item) => item.price === price)) &&
          matchesTimeFilter(subscription.created, created),
        page,
        present: (subscription) => presentSubscription(ctx, subscription),
      })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/v1/subscriptions/:id',
    params: {},
    run: (ctx, _params, { id }) => presentSubscription(ctx, getSubscription(ctx, id)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/subscriptions/:id',
    params: {
      ...sharedParams,
      billing_cycle_anchor: oneOf('now', 'unchanged'),
      cancel_at: unsettable(integer()),
      cancellation_details: cancellationDetails,
      items: changedItemsParam,
      pause_collection: unsettable(
        hash({ behavior: required(oneOf('keep_as_draft', 'mark_uncollectible', 'void')), resumes_at: integer() }),
      ),
      proration_date: integer(),
      trial_end: literalOr('now', integer()),
    },
    run(ctx, params, { id }) {
      const subscription = getSubscription(ctx, id)
      const {
        cancel_at: cancelAt,
        cancellation_details: details,
        pause_collection: pause,
        trial_end: trialEnd,
      } = params
      if (params.default_payment_method)
        getCustomerPaymentMethod(ctx, params.default_payment_method, subscription.customer, 'default_payment_method')
      checkInFuture(ctx, trialEnd, 'trial_end')
      checkInFuture(ctx, cancelAt, 'cancel_at')
      checkInFuture(ctx, pause?.resumes_at, 'pause_collection[resumes_at]')
      if (cancelAt && params.cancel_at_period_end)
        throw invalidRequest('You may only specify one of these parameters: cancel_at, cancel_at_period_end.')
      const changed = updateSubscription(ctx, subscription, {
        items: params.items && applyItemChanges(ctx, subscription, params.items),
        trialEnd,
        cancelAtPeriodEnd: params.cancel_at_period_end,
        cancelAt,
        proration: params.proration_behavior ?? 'create_prorations',
        prorationDate: params.proration_date,
        behavior: params.payment_behavior ?? 'allow_incomplete',
        anchor: params.billing_cycle_anchor ?? 'unchanged',
        fields: {
          ...fieldsFromParams(params, subscription),
          ...(details && { cancellation: { ...subscription.cancellation, ...details } }),
          ...(pause !== undefined && {
            pause_collection: pause && { behavior: pause.behavior, resumes_at: pause.resumes_at ?? null },
          }),
        },
      })
      return presentSubscription(ctx, changed)
    },
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/v1/subscriptions/:id',
    params: { cancellation_details: cancellationDetails, invoice_now: boolean, prorate: boolean },
    run(ctx, { cancellation_details: details, prorate }, { id }) {
      const subscription = getSubscription(ctx, id)
      if (hasEnded(subscription)) throw resourceMissing('subscription', id)
      if (prorate && subscription.status === 'active')
        for (const item of subscription.items)
          addPendingInvoiceItem(ctx, subscription, remainingPeriodLine(ctx, subscription, item, ctx.now, 'credit'))
      const canceled = cancelSubscription(ctx, subscription, { ...details, reason: 'cancellation_requested' })
      return presentSubscription(ctx, canceled)
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/v1/subscriptions/:id/resume',
    params: {
      billing_cycle_anchor: oneOf('now', 'unchanged'),
      proration_behavior: oneOf('always_invoice', 'create_prorations', 'none'),
      proration_date: integer(),
    },
    run(ctx, { billing_cycle_anchor: anchor }, { id }) {
      const resumed = resumePausedSubscription(ctx, getSubscription(ctx, id), anchor ?? 'now')
      return presentSubscription(ctx, resumed)
    },
  }),
]
