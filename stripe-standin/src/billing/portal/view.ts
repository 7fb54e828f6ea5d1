import { invalidRequest, StripeError } from '../../http/errors.ts'
import type { Desk } from '../../state/database.ts'
import type { PaymentMethod, Price, Product } from '../../state/records.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import { findMethod, hasEnded, productAndPrice, soldBy } from '../subscriptions/record.ts'
import { type PortalVisit, visitPortal } from './actions.ts'
import { type ChangePreview, previewChange } from './plan-change.ts'

interface Sold {
  readonly product: Product
  readonly price: Price
}

export interface PortalSubscription extends Sold {
  readonly subscription: Subscription
  /** The change that waits for the end of the period. */
  readonly scheduled: (Sold & { readonly at: number }) | null
  /** The other plans that can be chosen. */
  readonly choices: readonly (Sold & { readonly preview: ChangePreview })[]
}

/** What the portal's page shows. */
export interface PortalView extends PortalVisit {
  readonly paymentMethod: PaymentMethod | null
  /** The newest first. */
  readonly invoices: readonly Invoice[]
  /** Those that have not ended. */
  readonly subscriptions: readonly PortalSubscription[]
}

export function viewPortal(desk: Desk, sessionId: string): PortalView {
  const visit = visitPortal(desk, sessionId)
  const own = ({ customer }: { customer: string }) => customer === visit.customer.id
  const live = desk.book.all('subscriptions').filter((subscription) => own(subscription) && !hasEnded(subscription))
  return {
    ...visit,
    paymentMethod: findMethod(desk, live[0]?.default_payment_method ?? null, visit.customer.id),
    invoices: visit.configuration.features.invoice_history.enabled
      ? desk.book.all('invoices').filter(own).reverse()
      : [],
    subscriptions: live.map((subscription) => viewSubscription(desk, visit, subscription)),
  }
}

/** What the page that confirms one exact change shows; without a preview once it was done or can no longer be. */
export interface ConfirmView extends PortalVisit {
  readonly subscription: Subscription
  readonly from: Sold
  readonly to: Sold
  readonly preview: ChangePreview | null
  readonly completed: boolean
  readonly paymentMethod: PaymentMethod | null
}

export function viewConfirm(desk: Desk, sessionId: string): ConfirmView {
  const visit = visitPortal(desk, sessionId)
  const { flow, completed_at } = visit.session
  if (flow?.type !== 'subscription_update_confirm') throw invalidRequest('This session has no change to confirm.')
  const subscription = desk.book.must('subscriptions', flow.subscription)
  const completed = completed_at !== null
  return {
    ...visit,
    subscription,
    from: soldBy(desk, subscription),
    to: productAndPrice(desk, flow.price),
    preview:
      completed || hasEnded(subscription)
        ? null
        : possiblePreview(() => previewChange(desk, visit.configuration, subscription, flow.price, flow.quantity)),
    completed,
    paymentMethod: findMethod(desk, subscription.default_payment_method, visit.customer.id),
  }
}

function viewSubscription(desk: Desk, visit: PortalVisit, subscription: Subscription): PortalSubscription {
  const schedule = subscription.schedule && desk.book.get('subscription_schedules', subscription.schedule)
  const offered = visit.configuration.features.subscription_update.products.flatMap(({ prices }) => prices)
  const { quantity } = subscription.items[0]!
  return {
    subscription,
    ...soldBy(desk, subscription),
    scheduled: schedule ? { ...productAndPrice(desk, schedule.price), at: schedule.at } : null,
    choices: offered.flatMap((price) => {
      const preview = possiblePreview(() => previewChange(desk, visit.configuration, subscription, price, quantity))
      return preview ? [{ ...productAndPrice(desk, price), preview }] : []
    }),
  }
}

/** A preview, or null where the choice is refused. */
function possiblePreview(preview: () => ChangePreview): ChangePreview | null {
  try {
    return preview()
  } catch (error) {
    if (error instanceof StripeError) return null
    throw error
  }
}
