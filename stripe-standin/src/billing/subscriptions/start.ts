import { amountDue } from '../../presenters/invoices.ts'
import { presentSubscription } from '../../presenters/subscriptions.ts'
import { newId, type RequestContext } from '../../state/database.ts'
import { emitEvent } from '../../state/emit.ts'
import { cardDeclined, invalidRequest } from '../../state/errors.ts'
import type { Metadata } from '../../state/records.ts'
import type { Invoice, MissingPaymentMethod, Subscription, SubscriptionItem } from '../../state/subscription-records.ts'
import { draftSubscriptionInvoice, finalizeInvoice } from '../invoices/invoicing.ts'
import { pendingInvoiceItems, periodLine } from '../invoices/lines.ts'
import { canBeCharged, finalizeAndCharge } from '../invoices/payments.ts'
import { nextPeriodEnd } from './periods.ts'
import { findPaymentMethod, reloadSubscription } from './record.ts'
import { announceTrialEnd } from './trial.ts'

export type PaymentBehavior = 'allow_incomplete' | 'default_incomplete' | 'error_if_incomplete'

interface NewSubscription {
  readonly customer: string
  readonly items: readonly { readonly price: string; readonly quantity: number; readonly metadata: Metadata }[]
  readonly currency: string
  readonly trialEnd: number | null
  readonly paymentBehavior: PaymentBehavior
  readonly missingPaymentMethod: MissingPaymentMethod
  readonly fields: Partial<Subscription>
}

/**
 * Starts a subscription, either in its trial or with a first invoice that is charged at once. With `createdIncomplete`,
 * as on Stripe's pages, it is first created as incomplete and then updated to active.
 */
export function startSubscription(
  ctx: RequestContext,
  wanted: NewSubscription,
  { createdIncomplete = false } = {},
): Subscription {
  const method = findPaymentMethod(ctx, wanted.fields.default_payment_method ?? null, wanted.customer)
  const draft = buildSubscription(ctx, wanted)
  const free = wanted.trialEnd !== null
  const lines = draft.items.map((item) => periodLine(ctx, draft.id, item, { free }))
  const due = [...pendingInvoiceItems(ctx, draft.customer, draft.currency), ...lines].reduce(
    (sum, { amount }) => sum + amount,
    0,
  )
  const byTransfer = draft.collection_method === 'send_invoice'
  const isDueNow = due > 0 && !byTransfer
  const paysNow = !isDueNow || (wanted.paymentBehavior !== 'default_incomplete' && canBeCharged(method))
  if (isDueNow && wanted.paymentBehavior !== 'default_incomplete') {
    if (!method) {
      throw invalidRequest(
        'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
        { code: 'resource_missing' },
      )
    }
    if (!paysNow && wanted.paymentBehavior === 'error_if_incomplete') throw cardDeclined()
  }
  const complete = paysNow && !(createdIncomplete && isDueNow)
  const status = free ? 'trialing' : complete ? 'active' : 'incomplete'
  const started = ctx.db.put('subscriptions', { ...draft, status })
  const invoice = draftSubscriptionInvoice(ctx, started, {
    reason: 'subscription_create',
    lines,
    period: { start: ctx.now, end: ctx.now },
  })
  const created = ctx.db.update('subscriptions', started, { latest_invoice: invoice.id })
  emitEvent(ctx, 'customer.subscription.created', presentSubscription(ctx, created))
  collectFirstInvoice(ctx, invoice, wanted.paymentBehavior)
  announceTrialEnd(ctx, reloadSubscription(ctx, created))
  return reloadSubscription(ctx, created)
}

function collectFirstInvoice(ctx: RequestContext, invoice: Invoice, behavior: PaymentBehavior): void {
  const waits = behavior === 'default_incomplete' && amountDue(invoice) > 0
  if (waits) finalizeInvoice(ctx, invoice)
  else finalizeAndCharge(ctx, invoice)
}

function buildSubscription(ctx: RequestContext, wanted: NewSubscription): Subscription {
  const id = newId('sub_1')
  const anchor = wanted.trialEnd ?? ctx.now
  const recurrence = ctx.db.getOrThrow('prices', wanted.items[0]!.price).recurring!
  const periodEnd = wanted.trialEnd ?? nextPeriodEnd(anchor, recurrence, ctx.now)
  const items: SubscriptionItem[] = wanted.items.map((item) => ({
    id: newId('si_', 14),
    created: ctx.now,
    ...item,
    current_period_start: ctx.now,
    current_period_end: periodEnd,
  }))
  return {
    id,
    created: ctx.now,
    customer: wanted.customer,
    status: 'incomplete',
    currency: wanted.currency,
    items,
    metadata: {},
    description: null,
    default_payment_method: null,
    collection_method: 'charge_automatically',
    days_until_due: null,
    billing_cycle_anchor: anchor,
    start_date: ctx.now,
    trial_start: wanted.trialEnd === null ? null : ctx.now,
    trial_end: wanted.trialEnd,
    trial_will_end_told: false,
    missing_payment_method: wanted.missingPaymentMethod,
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    cancellation: { comment: null, feedback: null, reason: null },
    pause_collection: null,
    latest_invoice: null,
    schedule: null,
    ...wanted.fields,
    ...(wanted.fields.cancel_at_period_end && { cancel_at: periodEnd, canceled_at: ctx.now }),
  }
}
