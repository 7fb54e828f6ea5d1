import { presentPrice, presentProduct } from '../presenters/catalogue.ts'
import { presentCustomer, presentPaymentMethod } from '../presenters/customers.ts'
import { presentInvoice } from '../presenters/invoices.ts'
import { presentCheckoutLineItems, presentPortalConfiguration } from '../presenters/sessions.ts'
import { presentSchedule, presentSubscription } from '../presenters/subscriptions.ts'
import type { RequestContext } from '../state/database.ts'
import type { ApiObject } from '../state/emit.ts'
import { completeList } from '../state/emit.ts'
import { invalidRequest } from '../state/errors.ts'

type ObjectLoader = (ctx: RequestContext, id: string) => ApiObject

const price: ObjectLoader = (ctx, id) => presentPrice(ctx.db.getOrThrow('prices', id))
const paymentMethod: ObjectLoader = (ctx, id) => presentPaymentMethod(ctx.db.getOrThrow('payment_methods', id))
const invoice: ObjectLoader = (ctx, id) => presentInvoice(ctx, ctx.db.getOrThrow('invoices', id))

/** Fields that contain the id of another object. */
const references: Readonly<Record<string, ObjectLoader>> = {
  customer: (ctx, id) => presentCustomer(ctx, ctx.db.getOrThrow('customers', id)),
  subscription: (ctx, id) => presentSubscription(ctx, ctx.db.getOrThrow('subscriptions', id)),
  schedule: (ctx, id) => presentSchedule(ctx, ctx.db.getOrThrow('subscription_schedules', id)),
  configuration: (ctx, id) => presentPortalConfiguration(ctx.db.getOrThrow('portal_configurations', id)),
  product: (ctx, id) => presentProduct(ctx.db.getOrThrow('products', id)),
  default_price: price,
  price,
  default_payment_method: paymentMethod,
  latest_invoice: invoice,
  invoice,
}

/** Lists that an object includes only when they are expanded. */
const expandableLists: Readonly<Record<string, ObjectLoader>> = {
  'customer.subscriptions': (ctx, id) =>
    completeList(
      `/v1/customers/${id}/subscriptions`,
      ctx.db
        .all('subscriptions')
        .filter(({ customer, status }) => customer === id && status !== 'canceled')
        .map((subscription) => presentSubscription(ctx, subscription))
        .reverse(),
    ),
  'checkout.session.line_items': (ctx, id) => presentCheckoutLineItems(ctx, ctx.db.getOrThrow('checkout_sessions', id)),
}

const maxDepth = 4

/** Replaces ids by objects along paths such as `data.customer` or `items.data.price.product`. */
export function expand(ctx: RequestContext, object: ApiObject, paths: readonly string[]): ApiObject {
  return paths.reduce((expanded, path) => {
    const steps = path.split('.')
    if (steps.length > maxDepth + 1)
      throw invalidRequest(`You cannot expand more than ${maxDepth} levels of a property.`)
    return expandAlong(ctx, expanded, steps, path)
  }, object)
}

function expandAlong(
  ctx: RequestContext,
  object: ApiObject,
  [step, ...rest]: readonly string[],
  path: string,
): ApiObject {
  if (step === undefined) return object
  const value = Object.hasOwn(object, step) ? object[step] : loadExpandableList(ctx, object, step)
  if (value === undefined) throw notExpandable(path)
  return { ...object, [step]: expandValue(ctx, value, step, rest, path) }
}

function expandValue(
  ctx: RequestContext,
  value: unknown,
  step: string,
  rest: readonly string[],
  path: string,
): unknown {
  const isReference = Object.hasOwn(references, step)
  if (value === null && (isReference || rest.length > 0)) return null
  if (Array.isArray(value)) return value.map((item) => expandValue(ctx, item, step, rest, path))
  if (typeof value === 'object' && value !== null) return expandAlong(ctx, value as ApiObject, rest, path)
  if (typeof value !== 'string' || !isReference) throw notExpandable(path)
  return expandAlong(ctx, references[step]!(ctx, value), rest, path)
}

function loadExpandableList(ctx: RequestContext, object: ApiObject, step: string): ApiObject | undefined {
  const name = `${object.object}.${step}`
  return Object.hasOwn(expandableLists, name) ? expandableLists[name]?.(ctx, String(object.id)) : undefined
}

function notExpandable(path: string): Error {
  return invalidRequest(`This property cannot be expanded (${path}).`)
}
