import { randomInt } from 'node:crypto'
import type {
  Customer,
  Delivery,
  KeptReply,
  PaymentMethod,
  Price,
  Product,
  Settings,
  StripeEvent,
  WebhookEndpoint,
} from './records.ts'
import type { CheckoutSession, PortalConfiguration, PortalSession } from './session-records.ts'
import type { Invoice, InvoiceItem, Subscription, SubscriptionSchedule } from './subscription-records.ts'

export interface Collections {
  customers: Customer
  products: Product
  prices: Price
  payment_methods: PaymentMethod
  subscriptions: Subscription
  subscription_schedules: SubscriptionSchedule
  invoices: Invoice
  invoice_items: InvoiceItem
  checkout_sessions: CheckoutSession
  portal_configurations: PortalConfiguration
  portal_sessions: PortalSession
  webhook_endpoints: WebhookEndpoint
  events: StripeEvent
  deliveries: Delivery
  kept_replies: KeptReply
  settings: Settings
}

export type CollectionName = keyof Collections

type Records = { readonly [Name in CollectionName]: Map<string, Collections[Name]> }

const collectionNames = [
  'customers',
  'products',
  'prices',
  'payment_methods',
  'subscriptions',
  'subscription_schedules',
  'invoices',
  'invoice_items',
  'checkout_sessions',
  'portal_configurations',
  'portal_sessions',
  'webhook_endpoints',
  'events',
  'deliveries',
  'kept_replies',
  'settings',
] as const satisfies readonly CollectionName[]

/**
 * All records, in memory, in the order in which they were made. Whatever is changed between `begin` and `rollBack` is
 * put back, so that a verb that throws half way leaves no trace.
 */
export class Database {
  private readonly records: Records
  private undo: (() => void)[] = []
  private readonly jsonCache = new WeakMap<object, string>()

  constructor(saved: DatabaseSnapshot = {}) {
    this.records = Object.fromEntries(
      collectionNames.map((name) => [name, new Map((saved[name] ?? []).map((record) => [record.id, record]))]),
    ) as unknown as Records
  }

  get<Name extends CollectionName>(name: Name, id: string): Collections[Name] | undefined {
    return this.records[name].get(id)
  }

  /** The record, which is known to exist because another record refers to it. */
  getOrThrow<Name extends CollectionName>(name: Name, id: string): Collections[Name] {
    const record = this.get(name, id)
    if (!record) throw new Error(`No ${id} among ${name}, though something refers to it.`)
    return record
  }

  /** All records of a collection, oldest first. */
  all<Name extends CollectionName>(name: Name): Collections[Name][] {
    return [...this.records[name].values()]
  }

  put<Name extends CollectionName>(name: Name, record: Collections[Name]): Collections[Name] {
    const records: Map<string, Collections[Name]> = this.records[name]
    const previous = records.get(record.id)
    records.set(record.id, record)
    this.undo.push(() => (previous ? records.set(record.id, previous) : records.delete(record.id)))
    return record
  }

  /** Replaces some facts of a record. */
  update<Name extends CollectionName>(
    name: Name,
    record: Collections[Name],
    fields: Partial<Collections[Name]>,
  ): Collections[Name] {
    return this.put(name, { ...record, ...fields })
  }

  remove(name: CollectionName, id: string): void {
    const records: Map<string, unknown> = this.records[name]
    const record = records.get(id)
    if (record === undefined) return
    records.delete(id)
    this.undo.push(() => records.set(id, record))
  }

  /** Starts a change; true from `changed` tells that something was written since. */
  begin(): void {
    this.undo = []
  }

  get hasChanges(): boolean {
    return this.undo.length > 0
  }

  rollback(): void {
    for (const step of this.undo.reverse()) step()
    this.undo = []
  }

  /** All records as JSON. Each record is written out once: it never changes, another takes its place. */
  toJson(): string {
    const collections = collectionNames.map((name) => {
      const records = this.all(name).map((record) => {
        const text = this.jsonCache.get(record) ?? JSON.stringify(record)
        this.jsonCache.set(record, text)
        return text
      })
      return `"${name}":[${records.join(',')}]`
    })
    return `{${collections.join(',')}}`
  }
}

export type DatabaseSnapshot = { readonly [Name in CollectionName]?: readonly Collections[Name][] }

/** What every verb works with: the records, the time, the events, and where the stand-in can be reached. */
export interface RequestContext {
  readonly db: Database
  /** Whole seconds since 1970 on the stand-in's clock; the same throughout one verb. */
  readonly now: number
  /** Base of the addresses of pages, without a slash at the end. */
  readonly url: string
  /** The request that is being answered, which its events name. */
  readonly request: { readonly id: string | null; readonly idempotencyKey: string | null }
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A random id that cannot be guessed: the prefix and, as at Stripe, 24 letters and digits. */
export function newId(prefix: string, length = 24): string {
  return prefix + Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}
