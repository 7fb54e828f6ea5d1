import { invalidRequest, noSuch } from '../http/errors.ts'
import type { Desk } from '../state/database.ts'
import type { Customer, Price } from '../state/records.ts'
import type { Invoice, Subscription } from '../state/subscription-records.ts'

/** The customer that a parameter names; a deleted one is none. */
export function customerNamed(desk: Desk, id: string, param = 'customer'): Customer {
  const customer = desk.book.get('customers', id)
  if (!customer || customer.deleted) throw noSuch('customer', id, param)
  return customer
}

export function subscriptionNamed(desk: Desk, id: string, param = 'id'): Subscription {
  const subscription = desk.book.get('subscriptions', id)
  if (!subscription) throw noSuch('subscription', id, param)
  return subscription
}

export function invoiceNamed(desk: Desk, id: string, param = 'id'): Invoice {
  const invoice = desk.book.get('invoices', id)
  if (!invoice) throw noSuch('invoice', id, param)
  return invoice
}

export function priceNamed(desk: Desk, id: string, param: string): Price {
  const price = desk.book.get('prices', id)
  if (!price) throw noSuch('price', id, param)
  return price
}

/** A price that a subscription can have: on sale and paid again and again. */
export function subscribablePrice(desk: Desk, id: string, param: string): Price {
  const price = priceNamed(desk, id, param)
  if (!price.active)
    throw invalidRequest(`The price specified is inactive. This field only accepts active prices.`, { param })
  if (!price.recurring) {
    throw invalidRequest(
      `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
      { param },
    )
  }
  return price
}
