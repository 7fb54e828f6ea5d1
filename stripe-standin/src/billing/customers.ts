import { emit } from '../events/emit.ts'
import { presentCustomer } from '../presenters/customers.ts'
import { type Desk, newId } from '../state/database.ts'
import type { Customer } from '../state/records.ts'

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
