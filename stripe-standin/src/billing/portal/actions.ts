import { cardDeclined, invalidRequest, resourceMissing } from '../../http/errors.ts'
import type { RequestContext } from '../../state/database.ts'
import type { Customer, PaymentMethod } from '../../state/records.ts'
import type { PortalConfiguration, PortalSession } from '../../state/session-records.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import {
  attachPaymentMethod,
  createPaymentMethod,
  type PageTestCard,
  pageTestCards,
  patchCustomer,
} from '../customers.ts'
import { chargeInvoice, paymentMethodForInvoice } from '../invoices/payments.ts'
import { cancelSubscription } from '../subscriptions/cancel.ts'
import { hasEnded, patchSubscription, releaseSchedule } from '../subscriptions/record.ts'
import { updateSubscription } from '../subscriptions/update.ts'
import { applyPlanChange } from './plan-change.ts'

/** The session of a portal page, with what it is allowed to do and whose it is. */
export interface PortalSessionDetails {
  readonly session: PortalSession
  readonly configuration: PortalConfiguration
  readonly customer: Customer
}

export function loadPortalSession(ctx: RequestContext, sessionId: string): PortalSessionDetails {
  const session = ctx.db.get('portal_sessions', sessionId)
  if (!session) throw resourceMissing('billing_portal.session', sessionId)
  return {
    session,
    configuration: ctx.db.getOrThrow('portal_configurations', session.configuration),
    customer: ctx.db.getOrThrow('customers', session.customer),
  }
}

/** Does the one change that the session was made for. It is done once, however often it is confirmed. */
export function confirmPlanChange(ctx: RequestContext, sessionId: string): Subscription {
  const visit = loadPortalSession(ctx, sessionId)
  const { flow } = visit.session
  if (flow?.type !== 'subscription_update_confirm') throw invalidRequest('This session has no change to confirm.')
  const subscription = getLiveSubscription(ctx, visit, flow.subscription)
  if (visit.session.completed_at !== null) return subscription
  const changed = applyPlanChange(ctx, visit.configuration, subscription, flow.price, flow.quantity)
  completeFlow(ctx, visit.session)
  return changed
}

/** Changes the plan: a higher one at once, with proration; a lower one when the period ends. */
export function changePlan(
  ctx: RequestContext,
  sessionId: string,
  wanted: { readonly subscription: string; readonly price: string },
): Subscription {
  const visit = loadPortalSession(ctx, sessionId)
  const subscription = getLiveSubscription(ctx, visit, wanted.subscription)
  return applyPlanChange(ctx, visit.configuration, subscription, wanted.price, subscription.items[0]!.quantity)
}

/** Cancels when the period ends, or at once where the configuration says so. */
export function cancelFromPortal(
  ctx: RequestContext,
  sessionId: string,
  wanted: { readonly subscription: string },
): Subscription {
  const visit = loadPortalSession(ctx, sessionId)
  const cancel = visit.configuration.features.subscription_cancel
  if (!cancel.enabled) throw invalidRequest('This portal does not cancel subscriptions.')
  const subscription = releaseSchedule(ctx, getLiveSubscription(ctx, visit, wanted.subscription))
  const canceled =
    cancel.mode === 'immediately'
      ? cancelSubscription(ctx, subscription, { reason: 'cancellation_requested' })
      : updateSubscription(ctx, subscription, {
          cancelAtPeriodEnd: true,
          proration: 'none',
          behavior: 'allow_incomplete',
          anchor: 'unchanged',
          fields: {},
        })
  if (visit.session.flow?.type === 'subscription_cancel') completeFlow(ctx, visit.session)
  return canceled
}

/** Takes a cancellation at the end of the period back. */
export function undoCancellation(
  ctx: RequestContext,
  sessionId: string,
  wanted: { readonly subscription: string },
): Subscription {
  const visit = loadPortalSession(ctx, sessionId)
  return updateSubscription(ctx, getLiveSubscription(ctx, visit, wanted.subscription), {
    cancelAtPeriodEnd: false,
    proration: 'none',
    behavior: 'allow_incomplete',
    anchor: 'unchanged',
    fields: {},
  })
}

/** Takes a change that waits for the end of the period back. */
export function undoScheduledChange(
  ctx: RequestContext,
  sessionId: string,
  wanted: { readonly subscription: string },
): Subscription {
  return releaseSchedule(ctx, getLiveSubscription(ctx, loadPortalSession(ctx, sessionId), wanted.subscription))
}

/** Takes a new card for everything the customer pays, and tries what is still open with it at once. */
export function updatePaymentMethod(
  ctx: RequestContext,
  sessionId: string,
  { card }: { readonly card: PageTestCard },
): PaymentMethod {
  const visit = loadPortalSession(ctx, sessionId)
  if (!visit.configuration.features.payment_method_update.enabled)
    throw invalidRequest('This portal does not change payment methods.')
  const { customer } = visit
  const method = attachPaymentMethod(
    ctx,
    createPaymentMethod(ctx, pageTestCards[card]).id,
    customer.id,
    'payment_method',
  )
  patchCustomer(ctx, customer, { default_payment_method: method.id })
  for (const subscription of ctx.db.all('subscriptions')) {
    if (subscription.customer !== customer.id || hasEnded(subscription)) continue
    patchSubscription(ctx, subscription, { default_payment_method: method.id })
  }
  for (const invoice of openInvoices(ctx, customer.id)) chargeInvoice(ctx, invoice, method, { byHand: true })
  if (visit.session.flow?.type === 'payment_method_update') completeFlow(ctx, visit.session)
  return method
}

/** Pays an open invoice with the card on file. */
export function payInvoice(ctx: RequestContext, sessionId: string, wanted: { readonly invoice: string }): Invoice {
  const { customer } = loadPortalSession(ctx, sessionId)
  const invoice = openInvoices(ctx, customer.id).find(({ id }) => id === wanted.invoice)
  if (!invoice) throw resourceMissing('invoice', wanted.invoice)
  const tried = chargeInvoice(ctx, invoice, paymentMethodForInvoice(ctx, invoice), { byHand: true })
  if (tried.status !== 'paid') throw cardDeclined({ keepsChanges: true })
  return tried
}

/** Where a finished flow leads: to an address, to a last page with a sentence, or (null) to the portal itself. */
export function flowCompletion(
  session: PortalSession,
): { readonly redirect: string } | { readonly message: string | null } | null {
  if (session.flow === null) return null
  const after = session.after_completion
  if (after.type === 'redirect') return { redirect: after.return_url }
  return after.type === 'hosted_confirmation' ? { message: after.custom_message } : null
}

/** A live subscription of the session's own customer. */
function getLiveSubscription(ctx: RequestContext, { session }: PortalSessionDetails, id: string): Subscription {
  const subscription = ctx.db.get('subscriptions', id)
  if (!subscription || subscription.customer !== session.customer) throw resourceMissing('subscription', id)
  if (hasEnded(subscription)) throw invalidRequest('This subscription has ended.')
  return subscription
}

function openInvoices(ctx: RequestContext, customer: string): Invoice[] {
  return ctx.db.all('invoices').filter((invoice) => invoice.customer === customer && invoice.status === 'open')
}

function completeFlow(ctx: RequestContext, session: PortalSession): void {
  ctx.db.update('portal_sessions', session, { completed_at: ctx.now })
}
