import type { Desk } from '../../state/database.ts'
import type { Price, Product } from '../../state/records.ts'
import type { SubscriptionItem } from '../../state/subscription-records.ts'
import { productAndPrice } from '../subscriptions/record.ts'
import type { NewLine } from './invoicing.ts'

type Period = NewLine['period']

/** The line for one whole period of an item; `free` for a trial. */
export function periodLine(
  desk: Desk,
  subscription: string,
  item: SubscriptionItem,
  { free }: { free: boolean },
): NewLine {
  const { product, price } = productAndPrice(desk, item.price)
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

/** The line that gives back, or charges, the part of an item's period that is left from `rest.start` on. */
export function prorationLine(
  desk: Desk,
  subscription: string,
  item: SubscriptionItem,
  rest: Period,
  direction: 'credit' | 'charge',
): NewLine {
  const { product, price } = productAndPrice(desk, item.price)
  const wholeSeconds = item.current_period_end - item.current_period_start
  const share = wholeSeconds > 0 ? (rest.end - rest.start) / wholeSeconds : 0
  const amount = Math.round(price.unit_amount * item.quantity * share)
  const day = new Date(rest.start * 1000).toISOString().slice(0, 10)
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
