import type { RequestContext } from '../state/database.ts'
import { invalidRequest, resourceMissing } from '../state/errors.ts'
import type { Customer, Price } from '../state/records.ts'
import type { Invoice, Subscription } from '../state/subscription-records.ts'

/** The customer with this id, unless deleted. */
export function getCustomer(ctx: RequestContext, id: string, param = 'customer'): Customer {
  const customer = ctx.db.get('customers', id)
  if (!customer || customer.deleted) throw resourceMissing('customer', id, param)
  return customer
}

export function getSubscription(ctx: RequestContext, id: string, param = 'id'): Subscription {
  const subscription = ctx.db.get('subscriptions', id)
  if (!subscription) throw resourceMissing('subscription', id, param)
  return subscription
}

export function getInvoice(ctx: RequestContext, id: string, param = 'id'): Invoice {
  const invoice = ctx.db.get('invoices', id)
  if (!invoice) throw resourceMissing('invoice', id, param)
  return invoice
}

export function getPrice(ctx: RequestContext, id: string, param: string): Price {
  const price = ctx.db.get('prices', id)
  if (!price) throw resourceMissing('price', id, param)
  return price
}

/** An active, recurring price. */
export function getSubscribablePrice(ctx: RequestContext, id: string, param: string): Price {
  const price = getPrice(ctx, id, param)
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
