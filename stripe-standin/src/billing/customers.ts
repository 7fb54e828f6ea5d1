import { emit, emitUpdate } from '../events/emit.ts'
import { cardDeclined, invalidRequest, noSuch } from '../http/errors.ts'
import { presentCustomer, presentPaymentMethod } from '../presenters/customers.ts'
import { type Desk, newId } from '../state/database.ts'
import type { CardBehavior, Customer, PaymentMethod } from '../state/records.ts'

/** A new customer; it is told of by `customer.created` once its maker is done with it. */
export function makeCustomer(desk: Desk, facts: Partial<Customer>): Customer {
  return desk.book.put('customers', {
    id: newId('cus_', 14),
    created: desk.now,
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
    ...facts,
  })
}

export function tellNewCustomer(desk: Desk, customer: Customer): void {
  emit(desk, 'customer.created', presentCustomer(desk, customer))
}

/** Changes a customer and tells of it. */
export function changeCustomer(desk: Desk, customer: Customer, facts: Partial<Customer>): Customer {
  const before = presentCustomer(desk, customer)
  const changed = desk.book.amend('customers', customer, facts)
  emitUpdate(desk, 'customer.updated', before, presentCustomer(desk, changed))
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
export function testCardNamed(name: string): TestCard | undefined {
  const word = /^(?:pm_card|tok)_(.+)$/.exec(name)?.[1]
  return word !== undefined && Object.hasOwn(testCards, word) ? testCards[word] : undefined
}

export function testCardNumbered(number: string): TestCard | undefined {
  return Object.hasOwn(testNumbers, number) ? testNumbers[number] : undefined
}

/** The cards that a page offers: one that pays, and one that is accepted and refused whenever it is charged. */
export const pageCards = { works: visa, declines: failsLater } as const

export type PageCard = keyof typeof pageCards

export function makePaymentMethod(
  desk: Desk,
  card: TestCard,
  facts: Partial<Pick<PaymentMethod, 'billing_details' | 'metadata'>> = {},
): PaymentMethod {
  return desk.book.put('payment_methods', {
    id: newId('pm_1'),
    created: desk.now,
    customer: null,
    ...card,
    billing_details: { email: null, name: null },
    metadata: {},
    ...facts,
  })
}

/** Finds a card by its id, or makes one from a test card's name, and gives it to the customer. */
export function attachPaymentMethod(desk: Desk, named: string, customer: string, param: string): PaymentMethod {
  const testCard = testCardNamed(named)
  const known = desk.book.get('payment_methods', named)
  if (!testCard && !known) throw noSuch('PaymentMethod', named, param)
  if ((testCard ?? known)?.behavior === 'declines') throw cardDeclined()
  const method = known ?? makePaymentMethod(desk, testCard!)
  if (method.customer === customer) return method
  if (method.customer !== null)
    throw invalidRequest('The payment method you provided has already been attached to a customer.')
  const attached = desk.book.amend('payment_methods', method, { customer })
  emit(desk, 'payment_method.attached', presentPaymentMethod(attached))
  return attached
}

/** The card that a parameter names, which must be the customer's own. */
export function ownPaymentMethod(desk: Desk, id: string, customer: string, param: string): PaymentMethod {
  const method = desk.book.get('payment_methods', id)
  if (!method) throw noSuch('PaymentMethod', id, param)
  if (method.customer !== customer)
    throw invalidRequest(
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      { code: 'resource_missing', param },
    )
  return method
}

/** Takes a card away from its customer, and from everything that was to be charged to it. */
export function detachPaymentMethod(desk: Desk, method: PaymentMethod): PaymentMethod {
  if (method.customer === null)
    throw invalidRequest('The payment method you provided is not attached to a customer so detachment is impossible.')
  const customer = desk.book.must('customers', method.customer)
  if (customer.default_payment_method === method.id)
    desk.book.amend('customers', customer, { default_payment_method: null })
  for (const subscription of desk.book.all('subscriptions'))
    if (subscription.default_payment_method === method.id)
      desk.book.amend('subscriptions', subscription, { default_payment_method: null })
  const detached = desk.book.amend('payment_methods', method, { customer: null })
  // Only what was before tells whose it was.
  emit(desk, 'payment_method.detached', presentPaymentMethod(detached), { customer: customer.id })
  return detached
}
