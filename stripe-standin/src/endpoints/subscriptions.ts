import { ownPaymentMethod } from '../billing/customers.ts'
import { restLine, waitForNextInvoice } from '../billing/invoices/lines.ts'
import { cancelSubscription } from '../billing/subscriptions/cancel.ts'
import { resumePaused } from '../billing/subscriptions/periods.ts'
import { hasEnded } from '../billing/subscriptions/record.ts'
import { startSubscription } from '../billing/subscriptions/start.ts'
import { updateSubscription } from '../billing/subscriptions/update.ts'
import { endpoint } from '../http/endpoint.ts'
import { invalidRequest, noSuch } from '../http/errors.ts'
import { allows, listPage, listParams } from '../http/lists.ts'
import {
  changedMetadata,
  flag,
  hash,
  ignored,
  integer,
  isWithin,
  moments,
  oneOf,
  required,
  text,
  unsettable,
  wordOr,
} from '../http/params.ts'
import { presentSubscription } from '../presenters/subscriptions.ts'
import type { Desk } from '../state/database.ts'
import type { Subscription } from '../state/subscription-records.ts'
import { customerNamed, subscribablePrice, subscriptionNamed } from './lookup.ts'
import { changedItems, checkTogether, commonParams, factsFrom, itemsAfter, newItems } from './subscription-params.ts'

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

/** What the filter lets through; without one, all that has not been canceled. */
function hasStatus(
  subscription: Subscription,
  wanted: (typeof statuses)[number] | 'all' | 'ended' | undefined,
): boolean {
  if (wanted === 'all') return true
  if (wanted === 'ended') return hasEnded(subscription)
  return wanted === undefined ? subscription.status !== 'canceled' : subscription.status === wanted
}

function mustBeAhead(desk: Desk, moment: number | string | null | undefined, param: string): void {
  if (typeof moment === 'number' && moment <= desk.now)
    throw invalidRequest('Invalid timestamp: must be an integer Unix timestamp in the future.', { param })
}

export const subscriptionEndpoints = [
  endpoint({
    method: 'POST',
    path: '/v1/subscriptions',
    params: {
      ...commonParams,
      billing_mode: ignored,
      cancel_at: integer(),
      currency: text,
      customer: required(text),
      items: required(newItems),
      trial_period_days: integer({ min: 1, max: 730 }),
    },
    run(desk, params) {
      const customer = customerNamed(desk, params.customer)
      const prices = params.items.map(({ price }, index) => subscribablePrice(desk, price, `items[${index}][price]`))
      checkTogether(prices)
      if (params.default_payment_method)
        ownPaymentMethod(desk, params.default_payment_method, customer.id, 'default_payment_method')
      const { trial_end: end, trial_period_days: days } = params
      if (end !== undefined && days !== undefined)
        throw invalidRequest('You may only specify one of these parameters: trial_end, trial_period_days.')
      mustBeAhead(desk, end, 'trial_end')
      mustBeAhead(desk, params.cancel_at, 'cancel_at')
      const trialEnd = typeof end === 'number' ? end : days === undefined ? null : desk.now + days * daySeconds
      const subscription = startSubscription(desk, {
        customer: customer.id,
        currency: prices[0]!.currency,
        items: params.items.map(({ price, quantity, metadata }) => ({
          price,
          quantity: quantity ?? 1,
          metadata: changedMetadata({}, metadata),
        })),
        trialEnd,
        paymentBehavior: params.payment_behavior ?? 'allow_incomplete',
        missingPaymentMethod: params.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
        facts: {
          ...factsFrom(params, { metadata: {} }),
          ...(params.cancel_at_period_end && { cancel_at_period_end: true }),
          ...(params.cancel_at !== undefined && { cancel_at: params.cancel_at, canceled_at: desk.now }),
        },
      })
      return presentSubscription(desk, subscription)
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/subscriptions',
    params: {
      ...listParams,
      collection_method: oneOf('charge_automatically', 'send_invoice'),
      created: moments,
      customer: text,
      price: text,
      status: oneOf(...statuses, 'all', 'ended'),
    },
    run(desk, { collection_method: method, created, customer, price, status, ...page }) {
      if (customer !== undefined && !desk.book.get('customers', customer))
        throw noSuch('customer', customer, 'customer')
      return listPage({
        url: '/v1/subscriptions',
        what: 'subscription',
        records: desk.book.all('subscriptions'),
        matches: (subscription) =>
          hasStatus(subscription, status) &&
          allows(customer, subscription.customer) &&
          allows(method, subscription.collection_method) &&
          (price === undefined || subscription.items.some((item) => item.price === price)) &&
          isWithin(subscription.created, created),
        page,
        present: (subscription) => presentSubscription(desk, subscription),
      })
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/subscriptions/:id',
    params: {},
    run: (desk, _params, { id }) => presentSubscription(desk, subscriptionNamed(desk, id)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/subscriptions/:id',
    params: {
      ...commonParams,
      billing_cycle_anchor: oneOf('now', 'unchanged'),
      cancel_at: unsettable(integer()),
      cancellation_details: cancellationDetails,
      items: changedItems,
      pause_collection: unsettable(
        hash({ behavior: required(oneOf('keep_as_draft', 'mark_uncollectible', 'void')), resumes_at: integer() }),
      ),
      proration_date: integer(),
      trial_end: wordOr('now', integer()),
    },
    run(desk, params, { id }) {
      const subscription = subscriptionNamed(desk, id)
      const {
        cancel_at: cancelAt,
        cancellation_details: details,
        pause_collection: pause,
        trial_end: trialEnd,
      } = params
      if (params.default_payment_method)
        ownPaymentMethod(desk, params.default_payment_method, subscription.customer, 'default_payment_method')
      mustBeAhead(desk, trialEnd, 'trial_end')
      mustBeAhead(desk, cancelAt, 'cancel_at')
      mustBeAhead(desk, pause?.resumes_at, 'pause_collection[resumes_at]')
      if (cancelAt && params.cancel_at_period_end)
        throw invalidRequest('You may only specify one of these parameters: cancel_at, cancel_at_period_end.')
      const changed = updateSubscription(desk, subscription, {
        items: params.items && itemsAfter(desk, subscription, params.items),
        trialEnd,
        cancelAtPeriodEnd: params.cancel_at_period_end,
        cancelAt,
        proration: params.proration_behavior ?? 'create_prorations',
        prorationDate: params.proration_date,
        behavior: params.payment_behavior ?? 'allow_incomplete',
        anchor: params.billing_cycle_anchor ?? 'unchanged',
        facts: {
          ...factsFrom(params, subscription),
          ...(details && { cancellation: { ...subscription.cancellation, ...details } }),
          ...(pause !== undefined && {
            pause_collection: pause && { behavior: pause.behavior, resumes_at: pause.resumes_at ?? null },
          }),
        },
      })
      return presentSubscription(desk, changed)
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/subscriptions/:id',
    params: { cancellation_details: cancellationDetails, invoice_now: flag, prorate: flag },
    run(desk, { cancellation_details: details, prorate }, { id }) {
      const subscription = subscriptionNamed(desk, id)
      if (hasEnded(subscription)) throw noSuch('subscription', id)
      if (prorate && subscription.status === 'active')
        for (const item of subscription.items)
          waitForNextInvoice(desk, subscription, restLine(desk, subscription, item, desk.now, 'credit'))
      const canceled = cancelSubscription(desk, subscription, { ...details, reason: 'cancellation_requested' })
      return presentSubscription(desk, canceled)
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/subscriptions/:id/resume',
    params: {
      billing_cycle_anchor: oneOf('now', 'unchanged'),
      proration_behavior: oneOf('always_invoice', 'create_prorations', 'none'),
      proration_date: integer(),
    },
    run(desk, { billing_cycle_anchor: anchor }, { id }) {
      const resumed = resumePaused(desk, subscriptionNamed(desk, id), anchor ?? 'now')
      return presentSubscription(desk, resumed)
    },
  }),
]
