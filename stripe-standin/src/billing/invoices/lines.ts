import { newId, type RequestContext } from '../../state/database.ts'
import type { Price, Product } from '../../state/records.ts'
import type { InvoiceItem, InvoiceLine, Subscription, SubscriptionItem } from '../../state/subscription-records.ts'
import { getProductPrice } from '../subscriptions/record.ts'

export type NewInvoiceLine = Omit<InvoiceLine, 'id'>

type Period = NewInvoiceLine['period']

/** The line for one whole period of an item; `free` for a trial. */
export function periodLine(
  ctx: RequestContext,
  subscription: string,
  item: SubscriptionItem,
  { free }: { free: boolean },
): NewInvoiceLine {
  const { product, price } = getProductPrice(ctx, item.price)
  return {
    amount: free ? 0 : price.unit_amount * item.quantity,
    description: free ? `Trial period for ${product.name}` : `${item.quantity} × ${priceText(product, price)}`,
    period: { start: item.current_period_start, end: item.current_period_end },
    price: price.id,
    quantity: item.quantity,
    proration: false,
    invoice_item: null,
    subscription,
    subscription_item: item.id,
  }
}

// Customers see it on pages that write dates like this.
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The line that credits or charges an item for the part of its period from `rest.start` to `rest.end`. */
function prorationLine(
  ctx: RequestContext,
  subscription: string,
  item: SubscriptionItem,
  rest: Period,
  direction: 'credit' | 'charge',
): NewInvoiceLine {
  const { product, price } = getProductPrice(ctx, item.price)
  const wholeSeconds = item.current_period_end - item.current_period_start
  const share = wholeSeconds > 0 ? (rest.end - rest.start) / wholeSeconds : 0
  const amount = Math.round(price.unit_amount * item.quantity * share)
  const day = days.format(rest.start * 1000)
  return {
    amount: direction === 'credit' ? -amount : amount,
    description: `${direction === 'credit' ? 'Unused' : 'Remaining'} time on ${product.name} after ${day}`,
    period: rest,
    price: price.id,
    quantity: item.quantity,
    proration: true,
    invoice_item: null,
    subscription,
    subscription_item: item.id,
  }
}

function priceText(product: Product, price: Price): string {
  const amount = (price.unit_amount / 100).toFixed(2)
  return `${product.name} (at ${amount} ${price.currency.toUpperCase()}${price.recurring ? ` / ${price.recurring.interval}` : ''})`
}

/** The customer's invoice items that are not on an invoice yet. */
export function pendingInvoiceItems(ctx: RequestContext, customer: string, currency: string): InvoiceItem[] {
  return ctx.db
    .all('invoice_items')
    .filter((item) => item.customer === customer && item.currency === currency && item.invoice === null)
}

export function lineFromInvoiceItem(item: InvoiceItem): NewInvoiceLine {
  const { amount, description, period, price, quantity, proration, subscription, subscription_item } = item
  return {
    amount,
    description,
    period,
    price,
    quantity,
    proration,
    subscription,
    subscription_item,
    invoice_item: item.id,
  }
}

/** Adds the line to the customer's next invoice. */
export function addPendingInvoiceItem(ctx: RequestContext, subscription: Subscription, line: NewInvoiceLine): void {
  const { amount, description, period, price, quantity, proration, subscription_item } = line
  ctx.db.put('invoice_items', {
    id: newId('ii_1'),
    created: ctx.now,
    customer: subscription.customer,
    invoice: null,
    subscription: subscription.id,
    subscription_item,
    amount,
    currency: subscription.currency,
    description,
    price,
    quantity,
    proration,
    period,
    metadata: {},
  })
}

/** The line for the remainder of an item's period. */
export function remainingPeriodLine(
  ctx: RequestContext,
  subscription: Subscription,
  item: SubscriptionItem,
  from: number,
  direction: 'credit' | 'charge',
): NewInvoiceLine {
  const start = Math.min(Math.max(from, item.current_period_start), item.current_period_end)
  return prorationLine(ctx, subscription.id, item, { start, end: item.current_period_end }, direction)
}
