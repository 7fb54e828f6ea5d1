import { emit } from '../../events/emit.ts'
import { presentSubscription } from '../../presenters/subscriptions.ts'
import type { Desk } from '../../state/database.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { changeInvoice, voidInvoice } from '../invoices/invoicing.ts'
import { changeSubscription, endSchedule } from './record.ts'

interface Cancellation {
  readonly reason: Subscription['cancellation']['reason']
  readonly comment?: string | null | undefined
  readonly feedback?: string | null | undefined
}

/** Ends a subscription now and for ever. Its open invoices stay, but nobody collects them any more. */
export function cancelSubscription(desk: Desk, subscription: Subscription, why: Cancellation): Subscription {
  endSchedule(desk, subscription, 'canceled')
  const canceled = desk.book.amend('subscriptions', subscription, {
    status: 'canceled',
    ended_at: desk.now,
    canceled_at: subscription.canceled_at ?? desk.now,
    cancel_at: subscription.cancel_at_period_end ? subscription.cancel_at : null,
    pause_collection: null,
    schedule: null,
    cancellation: {
      comment: why.comment ?? subscription.cancellation.comment,
      feedback: why.feedback ?? subscription.cancellation.feedback,
      reason: why.reason,
    },
  })
  emit(desk, 'customer.subscription.deleted', presentSubscription(desk, canceled))
  for (const invoice of desk.book.all('invoices')) {
    const collected =
      invoice.subscription === subscription.id && (invoice.status === 'open' || invoice.status === 'draft')
    if (collected && invoice.auto_advance)
      changeInvoice(desk, invoice, {
        auto_advance: false,
        next_payment_attempt: null,
        automatically_finalizes_at: null,
      })
  }
  return canceled
}

/** Gives up on a first payment that never came: the subscription never was. */
export function expireIncomplete(desk: Desk, subscription: Subscription): Subscription {
  const expired = changeSubscription(desk, subscription, { status: 'incomplete_expired', ended_at: desk.now })
  const invoice = expired.latest_invoice && desk.book.get('invoices', expired.latest_invoice)
  if (invoice && invoice.status === 'open') voidInvoice(desk, invoice)
  return expired
}
