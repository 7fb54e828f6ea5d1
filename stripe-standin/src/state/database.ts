import { randomInt } from 'node:crypto'
import type {
  Customer,
  KeptReply,
  PaymentMethod,
  Price,
  Product,
  Settings,
  StripeEvent,
  WebhookDelivery,
  WebhookEndpoint,
} from './records.ts'
import type { CheckoutSession, PortalConfiguration, PortalSession } from './session-records.ts'
import type { Invoice, InvoiceItem, Subscription, SubscriptionSchedule } from './subscription-records.ts'

interface Collections {
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
  deliveries: WebhookDelivery
  kept_replies: KeptReply
  settings: Settings
}

type CollectionName = keyof Collections

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
 * All records in memory, in insertion order. `rollback` reverts the changes since `begin`, so that an operation is
 * atomic.
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

  /** The record that another record refers to; throws if it is missing. */
  getOrThrow<Name extends CollectionName>(name: Name, id: string): Collections[Name] {
    const record = this.get(name, id)
    if (!record) throw new Error(`Record ${id} is missing from ${name}, but another record refers to it.`)
    return record
  }

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

  /** Writes some fields of a record. */
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

  /** Starts a transaction; `hasChanges` tells whether anything was written since. */
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

  /** All records as JSON. Records are immutable, so each is serialized once. */
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

/** What every operation works with: database, time, base URL and the request. */
export interface RequestContext {
  readonly db: Database
  /** Unix time in seconds on the stand-in's clock; constant during one operation. */
  readonly now: number
  /** Base URL of the pages, without a trailing slash. */
  readonly url: string
  /** The current request, which events refer to. */
  readonly request: { readonly id: string | null; readonly idempotencyKey: string | null }
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A random, unguessable id: the prefix and, as at Stripe, 24 letters and digits. */
export function newId(prefix: string, length = 24): string {
  return prefix + Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}
