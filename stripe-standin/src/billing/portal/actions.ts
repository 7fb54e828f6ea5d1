import type { RequestContext } from '../../state/database.ts'
import { cardDeclined, invalidRequest, resourceMissing } from '../../state/errors.ts'
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

/** A portal session with its configuration and customer. */
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

/** Makes the plan change of a confirmation session; it is made only once. */
export function confirmPlanChange(ctx: RequestContext, sessionId: string): Subscription {
  const portal = loadPortalSession(ctx, sessionId)
  const { flow } = portal.session
  if (flow?.type !== 'subscription_update_confirm') throw invalidRequest('This session has no change to confirm.')
  const subscription = getLiveSubscription(ctx, portal, flow.subscription)
  if (portal.session.completed_at !== null) return subscription
  const changed = applyPlanChange(ctx, portal.configuration, subscription, flow.price, flow.quantity)
  completeFlow(ctx, portal.session)
  return changed
}

/** Changes the plan: upgrades at once with proration, downgrades at the end of the period. */
export function changePlan(
  ctx: RequestContext,
  sessionId: string,
  wanted: { readonly subscription: string; readonly price: string },
): Subscription {
  const portal = loadPortalSession(ctx, sessionId)
  const subscription = getLiveSubscription(ctx, portal, wanted.subscription)
  return applyPlanChange(ctx, portal.configuration, subscription, wanted.price, subscription.items[0]!.quantity)
}

/** Cancels at the end of the period, or at once if the configuration says so. */
export function cancelFromPortal(
  ctx: RequestContext,
  sessionId: string,
  wanted: { readonly subscription: string },
): Subscription {
  const portal = loadPortalSession(ctx, sessionId)
  const cancel = portal.configuration.features.subscription_cancel
  if (!cancel.enabled) throw invalidRequest('This portal does not cancel subscriptions.')
  const subscription = releaseSchedule(ctx, getLiveSubscription(ctx, portal, wanted.subscription))
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
  if (portal.session.flow?.type === 'subscription_cancel') completeFlow(ctx, portal.session)
  return canceled
}

/** Reverts a cancellation at the end of the period. */
export function undoCancellation(
  ctx: RequestContext,
  sessionId: string,
  wanted: { readonly subscription: string },
): Subscription {
  const portal = loadPortalSession(ctx, sessionId)
  return updateSubscription(ctx, getLiveSubscription(ctx, portal, wanted.subscription), {
    cancelAtPeriodEnd: false,
    proration: 'none',
    behavior: 'allow_incomplete',
    anchor: 'unchanged',
    fields: {},
  })
}

/** Reverts a plan change scheduled for the end of the period. */
export function undoScheduledChange(
  ctx: RequestContext,
  sessionId: string,
  wanted: { readonly subscription: string },
): Subscription {
  return releaseSchedule(ctx, getLiveSubscription(ctx, loadPortalSession(ctx, sessionId), wanted.subscription))
}

/** Replaces the card for all the customer's payments and charges open invoices to it at once. */
export function updatePaymentMethod(
  ctx: RequestContext,
  sessionId: string,
  { card }: { readonly card: PageTestCard },
): PaymentMethod {
  const portal = loadPortalSession(ctx, sessionId)
  if (!portal.configuration.features.payment_method_update.enabled)
    throw invalidRequest('This portal does not change payment methods.')
  const { customer } = portal
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
  for (const invoice of openInvoices(ctx, customer.id)) chargeInvoice(ctx, invoice, method, { manual: true })
  if (portal.session.flow?.type === 'payment_method_update') completeFlow(ctx, portal.session)
  return method
}

/** Pays an open invoice with the card on file; throws if it is declined. */
export function payInvoice(ctx: RequestContext, sessionId: string, wanted: { readonly invoice: string }): Invoice {
  const { customer } = loadPortalSession(ctx, sessionId)
  const invoice = openInvoices(ctx, customer.id).find(({ id }) => id === wanted.invoice)
  if (!invoice) throw resourceMissing('invoice', wanted.invoice)
  const charged = chargeInvoice(ctx, invoice, paymentMethodForInvoice(ctx, invoice), { manual: true })
  if (charged.status !== 'paid') throw cardDeclined({ keepsChanges: true })
  return charged
}

/** What follows a completed flow: a redirect, a final message, or null for the portal's home page. */
export function flowCompletion(
  session: PortalSession,
): { readonly redirect: string } | { readonly message: string | null } | null {
  if (session.flow === null) return null
  const after = session.after_completion
  if (after.type === 'redirect') return { redirect: after.return_url }
  return after.type === 'hosted_confirmation' ? { message: after.custom_message } : null
}

/** A subscription of the session's customer that has not ended. */
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
