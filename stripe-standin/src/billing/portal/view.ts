import type { RequestContext } from '../../state/database.ts'
import { invalidRequest, StripeError } from '../../state/errors.ts'
import type { PaymentMethod } from '../../state/records.ts'
import type { Invoice, Subscription } from '../../state/subscription-records.ts'
import {
  findPaymentMethod,
  getProductPrice,
  hasEnded,
  type ProductPrice,
  subscribedProductPrice,
} from '../subscriptions/record.ts'
import { loadPortalSession, type PortalSessionDetails } from './actions.ts'
import { type PlanChangePreview, previewPlanChange } from './plan-change.ts'

export interface PortalSubscription extends ProductPrice {
  readonly subscription: Subscription
  /** The change scheduled for the end of the period. */
  readonly scheduled: (ProductPrice & { readonly at: number }) | null
  readonly choices: readonly (ProductPrice & { readonly preview: PlanChangePreview })[]
}

/** Data of the portal's pages. */
export interface PortalView extends PortalSessionDetails {
  readonly paymentMethod: PaymentMethod | null
  /** Newest first. */
  readonly invoices: readonly Invoice[]
  /** Without ended ones. */
  readonly subscriptions: readonly PortalSubscription[]
}

export function loadPortalView(ctx: RequestContext, sessionId: string): PortalView {
  const portal = loadPortalSession(ctx, sessionId)
  const own = ({ customer }: { customer: string }) => customer === portal.customer.id
  const live = ctx.db.all('subscriptions').filter((subscription) => own(subscription) && !hasEnded(subscription))
  return {
    ...portal,
    paymentMethod: findPaymentMethod(ctx, live[0]?.default_payment_method ?? null, portal.customer.id),
    invoices: portal.configuration.features.invoice_history.enabled ? ctx.db.all('invoices').filter(own).reverse() : [],
    subscriptions: live.map((subscription) => loadSubscriptionView(ctx, portal, subscription)),
  }
}

/** Data of the page that confirms one change; `preview` is null once the change was made or is impossible. */
interface ConfirmView extends PortalSessionDetails {
  readonly subscription: Subscription
  readonly from: ProductPrice
  readonly to: ProductPrice
  readonly preview: PlanChangePreview | null
  readonly completed: boolean
  readonly paymentMethod: PaymentMethod | null
}

export function loadConfirmView(ctx: RequestContext, sessionId: string): ConfirmView {
  const portal = loadPortalSession(ctx, sessionId)
  const { flow, completed_at } = portal.session
  if (flow?.type !== 'subscription_update_confirm') throw invalidRequest('This session has no change to confirm.')
  const subscription = ctx.db.getOrThrow('subscriptions', flow.subscription)
  const completed = completed_at !== null
  return {
    ...portal,
    subscription,
    from: subscribedProductPrice(ctx, subscription),
    to: getProductPrice(ctx, flow.price),
    preview:
      completed || hasEnded(subscription)
        ? null
        : previewOrNull(() => previewPlanChange(ctx, portal.configuration, subscription, flow.price, flow.quantity)),
    completed,
    paymentMethod: findPaymentMethod(ctx, subscription.default_payment_method, portal.customer.id),
  }
}

function loadSubscriptionView(
  ctx: RequestContext,
  portal: PortalSessionDetails,
  subscription: Subscription,
): PortalSubscription {
  const schedule = subscription.schedule && ctx.db.get('subscription_schedules', subscription.schedule)
  const offered = portal.configuration.features.subscription_update.products.flatMap(({ prices }) => prices)
  const { quantity } = subscription.items[0]!
  return {
    subscription,
    ...subscribedProductPrice(ctx, subscription),
    scheduled: schedule ? { ...getProductPrice(ctx, schedule.price), at: schedule.at } : null,
    choices: offered.flatMap((price) => {
      const preview = previewOrNull(() => previewPlanChange(ctx, portal.configuration, subscription, price, quantity))
      return preview ? [{ ...getProductPrice(ctx, price), preview }] : []
    }),
  }
}

/** The preview, or null if the change is not allowed. */
function previewOrNull(preview: () => PlanChangePreview): PlanChangePreview | null {
  try {
    return preview()
  } catch (error) {
    if (error instanceof StripeError) return null
    throw error
  }
}
