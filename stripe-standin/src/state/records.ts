/**
 * What the stand-in remembers: one record per Stripe object, holding only the facts; the fields that never vary are
 * added when an object is presented. Records are values: a change puts a new record in place of the old one.
 * Times are whole seconds since 1970 on the stand-in's clock, amounts are in cents.
 */

export type Metadata = Readonly<Record<string, string>>

export interface StoredRecord {
  readonly id: string
  readonly created: number
}

export interface Customer extends StoredRecord {
  readonly email: string | null
  readonly name: string | null
  readonly phone: string | null
  readonly description: string | null
  readonly metadata: Metadata
  readonly default_payment_method: string | null
  readonly invoice_prefix: string
  readonly next_invoice_sequence: number
  /** What the customer owes beyond invoices; below zero it is credit that the next invoice uses up. */
  readonly balance: number
  readonly delinquent: boolean
  readonly deleted: boolean
}

export interface Product extends StoredRecord {
  readonly name: string
  readonly description: string | null
  readonly active: boolean
  readonly default_price: string | null
  readonly metadata: Metadata
  readonly url: string | null
  readonly updated: number
}

export type Interval = 'day' | 'week' | 'month' | 'year'

export interface Price extends StoredRecord {
  readonly product: string
  readonly active: boolean
  readonly currency: string
  readonly unit_amount: number
  readonly recurring: { readonly interval: Interval; readonly interval_count: number } | null
  readonly lookup_key: string | null
  readonly nickname: string | null
  readonly metadata: Metadata
}

/** What a card does: `declines_charges` is accepted when it is attached and refused whenever it is charged. */
export type CardBehavior = 'works' | 'declines' | 'declines_charges'

export interface PaymentMethod extends StoredRecord {
  readonly customer: string | null
  readonly behavior: CardBehavior
  readonly brand: string
  readonly last4: string
  readonly billing_details: { readonly email: string | null; readonly name: string | null }
  readonly metadata: Metadata
}

export interface WebhookEndpoint extends StoredRecord {
  readonly url: string
  readonly secret: string
  readonly enabled_events: readonly string[]
  readonly description: string | null
  readonly metadata: Metadata
  readonly status: 'enabled' | 'disabled'
  readonly api_version: string | null
}

export interface StripeEvent extends StoredRecord {
  readonly type: string
  readonly data: { readonly object: unknown; readonly previous_attributes?: unknown }
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null }
}

/** An event on its way to one endpoint; it is removed when it has arrived or was given up. */
export interface Delivery extends StoredRecord {
  readonly event: string
  readonly endpoint: string
  readonly attempts: number
  readonly next_attempt_at_ms: number
}

/** The reply that a repeated request with the same Idempotency-Key gets again. */
export interface KeptReply extends StoredRecord {
  readonly fingerprint: string
  readonly request_id: string
  readonly status: number
  readonly body: string
}

/** How the account's billing is set up; at Stripe these are settings of the dashboard. */
export interface Settings extends StoredRecord {
  readonly clock_offset_seconds: number
  /** Days from one failed payment of a renewal to the next attempt. */
  readonly retry_days: readonly number[]
  readonly after_retries: 'cancel' | 'mark_unpaid' | 'leave_past_due'
  /** How long a renewal's invoice stays a draft. */
  readonly draft_seconds: number
}
