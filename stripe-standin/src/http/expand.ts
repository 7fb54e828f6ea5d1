import type { Presented } from '../events/emit.ts'
import { presentPrice, presentProduct } from '../presenters/catalogue.ts'
import { presentCustomer, presentPaymentMethod } from '../presenters/customers.ts'
import { presentInvoice } from '../presenters/invoices.ts'
import { presentPortalConfiguration, presentSessionLines } from '../presenters/sessions.ts'
import { presentSchedule, presentSubscription } from '../presenters/subscriptions.ts'
import type { Desk } from '../state/database.ts'
import { invalidRequest } from './errors.ts'
import { wholeList } from './lists.ts'

type Expansion = (desk: Desk, id: string) => Presented

const price: Expansion = (desk, id) => presentPrice(desk.book.must('prices', id))
const paymentMethod: Expansion = (desk, id) => presentPaymentMethod(desk.book.must('payment_methods', id))
const invoice: Expansion = (desk, id) => presentInvoice(desk, desk.book.must('invoices', id))

/** The fields that hold the id of another object. */
const references: Readonly<Record<string, Expansion>> = {
  customer: (desk, id) => presentCustomer(desk, desk.book.must('customers', id)),
  subscription: (desk, id) => presentSubscription(desk, desk.book.must('subscriptions', id)),
  schedule: (desk, id) => presentSchedule(desk, desk.book.must('subscription_schedules', id)),
  configuration: (desk, id) => presentPortalConfiguration(desk.book.must('portal_configurations', id)),
  product: (desk, id) => presentProduct(desk.book.must('products', id)),
  default_price: price,
  price,
  default_payment_method: paymentMethod,
  latest_invoice: invoice,
  invoice,
}

/** Lists that an object has and shows only when asked. */
const includable: Readonly<Record<string, Expansion>> = {
  'customer.subscriptions': (desk, id) =>
    wholeList(
      `/v1/customers/${id}/subscriptions`,
      desk.book
        .all('subscriptions')
        .filter(({ customer, status }) => customer === id && status !== 'canceled')
        .map((subscription) => presentSubscription(desk, subscription))
        .reverse(),
    ),
  'checkout.session.line_items': (desk, id) => presentSessionLines(desk, desk.book.must('checkout_sessions', id)),
}

const deepest = 4

/** Puts objects in place of ids along paths such as `data.customer` or `items.data.price.product`. */
export function expand(desk: Desk, object: Presented, paths: readonly string[]): Presented {
  return paths.reduce((expanded, path) => {
    const steps = path.split('.')
    if (steps.length > deepest + 1) throw invalidRequest(`You cannot expand more than ${deepest} levels of a property.`)
    return expandAlong(desk, expanded, steps, path)
  }, object)
}

function expandAlong(desk: Desk, object: Presented, [step, ...rest]: readonly string[], path: string): Presented {
  if (step === undefined) return object
  const value = Object.hasOwn(object, step) ? object[step] : includableIn(desk, object, step)
  if (value === undefined) throw notExpandable(path)
  return { ...object, [step]: expandValue(desk, value, step, rest, path) }
}

function expandValue(desk: Desk, value: unknown, step: string, rest: readonly string[], path: string): unknown {
  const isReference = Object.hasOwn(references, step)
  if (value === null && (isReference || rest.length > 0)) return null
  if (Array.isArray(value)) return value.map((item) => expandValue(desk, item, step, rest, path))
  if (typeof value === 'object' && value !== null) return expandAlong(desk, value as Presented, rest, path)
  if (typeof value !== 'string' || !isReference) throw notExpandable(path)
  return expandAlong(desk, references[step]!(desk, value), rest, path)
}

function includableIn(desk: Desk, object: Presented, step: string): Presented | undefined {
  const name = `${object.object}.${step}`
  return Object.hasOwn(includable, name) ? includable[name]?.(desk, String(object.id)) : undefined
}

function notExpandable(path: string): Error {
  return invalidRequest(`This property cannot be expanded (${path}).`)
}
