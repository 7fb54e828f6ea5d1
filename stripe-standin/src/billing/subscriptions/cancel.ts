import { presentSubscription } from '../../presenters/subscriptions.ts'
import type { RequestContext } from '../../state/database.ts'
import { emitEvent } from '../../state/emit.ts'
import type { Subscription } from '../../state/subscription-records.ts'
import { patchInvoice, voidInvoice } from '../invoices/invoicing.ts'
import { endSchedule, patchSubscription } from './record.ts'

interface Cancellation {
  readonly reason: Subscription['cancellation']['reason']
  readonly comment?: string | null | undefined
  readonly feedback?: string | null | undefined
}

/** Cancels a subscription at once. Its open invoices stay open but are no longer collected. */
export function cancelSubscription(ctx: RequestContext, subscription: Subscription, why: Cancellation): Subscription {
  endSchedule(ctx, subscription, 'canceled')
  const canceled = ctx.db.update('subscriptions', subscription, {
    status: 'canceled',
    ended_at: ctx.now,
    canceled_at: subscription.canceled_at ?? ctx.now,
    cancel_at: subscription.cancel_at_period_end ? subscription.cancel_at : null,
    pause_collection: null,
    schedule: null,
    cancellation: {
      comment: why.comment ?? subscription.cancellation.comment,
      feedback: why.feedback ?? subscription.cancellation.feedback,
      reason: why.reason,
    },
  })
  emitEvent(ctx, 'customer.subscription.deleted', presentSubscription(ctx, canceled))
  for (const invoice of ctx.db.all('invoices')) {
    const collected =
      invoice.subscription === subscription.id && (invoice.status === 'open' || invoice.status === 'draft')
    if (collected && invoice.auto_advance)
      patchInvoice(ctx, invoice, {
        auto_advance: false,
        next_payment_attempt: null,
        automatically_finalizes_at: null,
      })
  }
  return canceled
}

/** Expires a subscription whose first payment was not made in time. */
export function expireIncompleteSubscription(ctx: RequestContext, subscription: Subscription): Subscription {
  const expired = patchSubscription(ctx, subscription, { status: 'incomplete_expired', ended_at: ctx.now })
  const invoice = expired.latest_invoice && ctx.db.get('invoices', expired.latest_invoice)
  if (invoice && invoice.status === 'open') voidInvoice(ctx, invoice)
  return expired
}
