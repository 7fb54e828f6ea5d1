import { emitEvent, emitUpdatedEvent } from '../events/emit.ts'
import { cardDeclined, invalidRequest, resourceMissing } from '../http/errors.ts'
import { presentCustomer, presentPaymentMethod } from '../presenters/customers.ts'
import { newId, type RequestContext } from '../state/database.ts'
import type { CardBehavior, Customer, PaymentMethod } from '../state/records.ts'

/** A new customer; it is told of by `customer.created` once its maker is done with it. */
export function createCustomer(ctx: RequestContext, fields: Partial<Customer>): Customer {
  return ctx.db.put('customers', {
    id: newId('cus_', 14),
    created: ctx.now,
    email: null,
    name: null,
    phone: null,
    description: null,
    metadata: {},
    default_payment_method: null,
    invoice_prefix: newId('', 8).toUpperCase(),
    next_invoice_sequence: 1,
    balance: 0,
    delinquent: false,
    deleted: false,
    ...fields,
  })
}

export function emitCustomerCreated(ctx: RequestContext, customer: Customer): void {
  emitEvent(ctx, 'customer.created', presentCustomer(ctx, customer))
}

/** Changes a customer and tells of it. */
export function patchCustomer(ctx: RequestContext, customer: Customer, fields: Partial<Customer>): Customer {
  const before = presentCustomer(ctx, customer)
  const changed = ctx.db.update('customers', customer, fields)
  emitUpdatedEvent(ctx, 'customer.updated', before, presentCustomer(ctx, changed))
  return changed
}

interface TestCard {
  readonly brand: string
  readonly last4: string
  readonly behavior: CardBehavior
}

const visa: TestCard = { brand: 'visa', last4: '4242', behavior: 'works' }

const failsLater: TestCard = { brand: 'visa', last4: '0341', behavior: 'declines_charges' }

const declined: TestCard = { brand: 'visa', last4: '0002', behavior: 'declines' }

/** Stripe's test cards by the names they have in `pm_card_…` and `tok_…`. */
const testCards: Readonly<Record<string, TestCard>> = {
  visa,
  visa_debit: { ...visa, last4: '5556' },
  mastercard: { brand: 'mastercard', last4: '4444', behavior: 'works' },
  amex: { brand: 'amex', last4: '8431', behavior: 'works' },
  discover: { brand: 'discover', last4: '9424', behavior: 'works' },
  us: visa,
  chargeCustomerFail: failsLater,
  chargeDeclined: declined,
  visa_chargeDeclined: declined,
  chargeDeclinedInsufficientFunds: { ...declined, last4: '9995' },
  visa_chargeDeclinedInsufficientFunds: { ...declined, last4: '9995' },
}

const testNumbers: Readonly<Record<string, TestCard>> = {
  '4242424242424242': visa,
  '5555555555554444': { brand: 'mastercard', last4: '4444', behavior: 'works' },
  '4000000000000341': failsLater,
  '4000000000000002': declined,
}

/** The test card behind `pm_card_visa`, `tok_visa` and their like. */
export function testCardByName(name: string): TestCard | undefined {
  const word = /^(?:pm_card|tok)_(.+)$/.exec(name)?.[1]
  return word !== undefined && Object.hasOwn(testCards, word) ? testCards[word] : undefined
}

export function testCardByNumber(number: string): TestCard | undefined {
  return Object.hasOwn(testNumbers, number) ? testNumbers[number] : undefined
}

/** The cards that a page offers: one that pays, and one that is accepted and refused whenever it is charged. */
export const pageTestCards = { works: visa, declines: failsLater } as const

export type PageTestCard = keyof typeof pageTestCards

export function createPaymentMethod(
  ctx: RequestContext,
  card: TestCard,
  fields: Partial<Pick<PaymentMethod, 'billing_details' | 'metadata'>> = {},
): PaymentMethod {
  return ctx.db.put('payment_methods', {
    id: newId('pm_1'),
    created: ctx.now,
    customer: null,
    ...card,
    billing_details: { email: null, name: null },
    metadata: {},
    ...fields,
  })
}

/** Finds a card by its id, or makes one from a test card's name, and gives it to the customer. */
export function attachPaymentMethod(
  ctx: RequestContext,
  named: string,
  customer: string,
  param: string,
): PaymentMethod {
  const testCard = testCardByName(named)
  const known = ctx.db.get('payment_methods', named)
  if (!testCard && !known) throw resourceMissing('PaymentMethod', named, param)
  if ((testCard ?? known)?.behavior === 'declines') throw cardDeclined()
  const method = known ?? createPaymentMethod(ctx, testCard!)
  if (method.customer === customer) return method
  if (method.customer !== null)
    throw invalidRequest('The payment method you provided has already been attached to a customer.')
  const attached = ctx.db.update('payment_methods', method, { customer })
  emitEvent(ctx, 'payment_method.attached', presentPaymentMethod(attached))
  return attached
}

/** The card that a parameter names, which must be the customer's own. */
export function getCustomerPaymentMethod(
  ctx: RequestContext,
  id: string,
  customer: string,
  param: string,
): PaymentMethod {
  const method = ctx.db.get('payment_methods', id)
  if (!method) throw resourceMissing('PaymentMethod', id, param)
  if (method.customer !== customer)
    throw invalidRequest(
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      { code: 'resource_missing', param },
    )
  return method
}

/** Takes a card away from its customer, and from everything that was to be charged to it. */
export function detachPaymentMethod(ctx: RequestContext, method: PaymentMethod): PaymentMethod {
  if (method.customer === null)
    throw invalidRequest('The payment method you provided is not attached to a customer so detachment is impossible.')
  const customer = ctx.db.getOrThrow('customers', method.customer)
  if (customer.default_payment_method === method.id)
    ctx.db.update('customers', customer, { default_payment_method: null })
  for (const subscription of ctx.db.all('subscriptions'))
    if (subscription.default_payment_method === method.id)
      ctx.db.update('subscriptions', subscription, { default_payment_method: null })
  const detached = ctx.db.update('payment_methods', method, { customer: null })
  // Only what was before tells whose it was.
  emitEvent(ctx, 'payment_method.detached', presentPaymentMethod(detached), { customer: customer.id })
  return detached
}
