import { presentCustomer, presentPaymentMethod } from '../presenters/customers.ts'
import { newId, type RequestContext } from '../state/database.ts'
import { emitEvent, emitUpdatedEvent } from '../state/emit.ts'
import { cardDeclined, invalidRequest, resourceMissing } from '../state/errors.ts'
import type { CardBehavior, Customer, PaymentMethod } from '../state/records.ts'

/** Creates a customer without an event; the caller emits `customer.created` when the record is complete. */
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

/** Writes fields of a customer and emits `customer.updated`. */
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

/** Stripe's test cards by their names in `pm_card_…` and `tok_…`. */
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

/** The test card for an id such as `pm_card_visa` or `tok_visa`. */
export function testCardByName(name: string): TestCard | undefined {
  const word = /^(?:pm_card|tok)_(.+)$/.exec(name)?.[1]
  return word !== undefined && Object.hasOwn(testCards, word) ? testCards[word] : undefined
}

export function testCardByNumber(number: string): TestCard | undefined {
  return Object.hasOwn(testNumbers, number) ? testNumbers[number] : undefined
}

/** Cards offered on the pages: one that works, and one that can be attached but declines every charge. */
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

/** Attaches a card to the customer: an existing one by id, or a new one by a test card's name. */
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

/** The card with this id; it must be attached to the customer. */
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

/** Detaches a card and removes it as a default from its customer and subscriptions. */
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
  // Only the previous attributes tell which customer it belonged to.
  emitEvent(ctx, 'payment_method.detached', presentPaymentMethod(detached), { customer: customer.id })
  return detached
}
