import { cardDeclined, invalidRequest, noSuch } from '../../http/errors.ts'
import type { Desk } from '../../state/database.ts'
import type { Customer, PaymentMethod } from '../../state/records.ts'
import type { PortalConfiguration, PortalSession } from '../../state/session-records.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import { attachPaymentMethod, changeCustomer, makePaymentMethod, type PageCard, pageCards } from '../customers.ts'
import { chargeInvoice, methodFor } from '../invoices/payments.ts'
import { cancelSubscription } from '../subscriptions/cancel.ts'
import { changeSubscription, hasEnded, releaseSchedule } from '../subscriptions/record.ts'
import { updateSubscription } from '../subscriptions/update.ts'
import { changeToPrice } from './plan-change.ts'

/** The session of a portal page, with what it is allowed to do and whose it is. */
export interface PortalVisit {
  readonly session: PortalSession
  readonly configuration: PortalConfiguration
  readonly customer: Customer
}

export function visitPortal(desk: Desk, sessionId: string): PortalVisit {
  const session = desk.book.get('portal_sessions', sessionId)
  if (!session) throw noSuch('billing_portal.session', sessionId)
  return {
    session,
    configuration: desk.book.must('portal_configurations', session.configuration),
    customer: desk.book.must('customers', session.customer),
  }
}

/** Does the one change that the session was made for. It is done once, however often it is confirmed. */
export function confirmUpdate(desk: Desk, sessionId: string): Subscription {
  const visit = visitPortal(desk, sessionId)
  const { flow } = visit.session
  if (flow?.type !== 'subscription_update_confirm') throw invalidRequest('This session has no change to confirm.')
  const subscription = ownSubscription(desk, visit, flow.subscription)
  if (visit.session.completed_at !== null) return subscription
  const changed = changeToPrice(desk, visit.configuration, subscription, flow.price, flow.quantity)
  completeFlow(desk, visit.session)
  return changed
}

/** Changes the plan: a higher one at once, with proration; a lower one when the period ends. */
export function changePlan(
  desk: Desk,
  sessionId: string,
  wanted: { readonly subscription: string; readonly price: string },
): Subscription {
  const visit = visitPortal(desk, sessionId)
  const subscription = ownSubscription(desk, visit, wanted.subscription)
  return changeToPrice(desk, visit.configuration, subscription, wanted.price, subscription.items[0]!.quantity)
}

/** Cancels when the period ends, or at once where the configuration says so. */
export function cancelAtPeriodEnd(
  desk: Desk,
  sessionId: string,
  wanted: { readonly subscription: string },
): Subscription {
  const visit = visitPortal(desk, sessionId)
  const cancel = visit.configuration.features.subscription_cancel
  if (!cancel.enabled) throw invalidRequest('This portal does not cancel subscriptions.')
  const subscription = releaseSchedule(desk, ownSubscription(desk, visit, wanted.subscription))
  const canceled =
    cancel.mode === 'immediately'
      ? cancelSubscription(desk, subscription, { reason: 'cancellation_requested' })
      : updateSubscription(desk, subscription, {
          cancelAtPeriodEnd: true,
          proration: 'none',
          behavior: 'allow_incomplete',
          anchor: 'unchanged',
          facts: {},
        })
  if (visit.session.flow?.type === 'subscription_cancel') completeFlow(desk, visit.session)
  return canceled
}

/** Takes a cancellation at the end of the period back. */
export function resume(desk: Desk, sessionId: string, wanted: { readonly subscription: string }): Subscription {
  const visit = visitPortal(desk, sessionId)
  return updateSubscription(desk, ownSubscription(desk, visit, wanted.subscription), {
    cancelAtPeriodEnd: false,
    proration: 'none',
    behavior: 'allow_incomplete',
    anchor: 'unchanged',
    facts: {},
  })
}

/** Takes a change that waits for the end of the period back. */
export function dropScheduledChange(
  desk: Desk,
  sessionId: string,
  wanted: { readonly subscription: string },
): Subscription {
  return releaseSchedule(desk, ownSubscription(desk, visitPortal(desk, sessionId), wanted.subscription))
}

/** Takes a new card for everything the customer pays, and tries what is still open with it at once. */
export function updatePaymentMethod(
  desk: Desk,
  sessionId: string,
  { card }: { readonly card: PageCard },
): PaymentMethod {
  const visit = visitPortal(desk, sessionId)
  if (!visit.configuration.features.payment_method_update.enabled)
    throw invalidRequest('This portal does not change payment methods.')
  const { customer } = visit
  const method = attachPaymentMethod(desk, makePaymentMethod(desk, pageCards[card]).id, customer.id, 'payment_method')
  changeCustomer(desk, customer, { default_payment_method: method.id })
  for (const subscription of desk.book.all('subscriptions')) {
    if (subscription.customer !== customer.id || hasEnded(subscription)) continue
    changeSubscription(desk, subscription, { default_payment_method: method.id })
  }
  for (const invoice of openInvoices(desk, customer.id)) chargeInvoice(desk, invoice, method, { byHand: true })
  if (visit.session.flow?.type === 'payment_method_update') completeFlow(desk, visit.session)
  return method
}

/** Pays an open invoice with the card on file. */
export function payInvoice(desk: Desk, sessionId: string, wanted: { readonly invoice: string }): Invoice {
  const { customer } = visitPortal(desk, sessionId)
  const invoice = openInvoices(desk, customer.id).find(({ id }) => id === wanted.invoice)
  if (!invoice) throw noSuch('invoice', wanted.invoice)
  const tried = chargeInvoice(desk, invoice, methodFor(desk, invoice), { byHand: true })
  if (tried.status !== 'paid') throw cardDeclined({ keepsChanges: true })
  return tried
}

/** Where a finished flow leads: to an address, to a last page with a sentence, or (null) to the portal itself. */
export function endOfFlow(
  session: PortalSession,
): { readonly redirect: string } | { readonly message: string | null } | null {
  if (session.flow === null) return null
  const after = session.after_completion
  if (after.type === 'redirect') return { redirect: after.return_url }
  return after.type === 'hosted_confirmation' ? { message: after.custom_message } : null
}

/** A live subscription of the session's own customer. */
function ownSubscription(desk: Desk, { session }: PortalVisit, id: string): Subscription {
  const subscription = desk.book.get('subscriptions', id)
  if (!subscription || subscription.customer !== session.customer) throw noSuch('subscription', id)
  if (hasEnded(subscription)) throw invalidRequest('This subscription has ended.')
  return subscription
}

function openInvoices(desk: Desk, customer: string): Invoice[] {
  return desk.book.all('invoices').filter((invoice) => invoice.customer === customer && invoice.status === 'open')
}

function completeFlow(desk: Desk, session: PortalSession): void {
  desk.book.amend('portal_sessions', session, { completed_at: desk.now })
}
