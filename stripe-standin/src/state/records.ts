/**
 * One record per Stripe object, with the fields that vary; presenters add the constant ones. Records are immutable: a
 * change replaces the record. Times are Unix seconds on the stand-in's clock, amounts are in cents.
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
  /** Owed beyond invoices, in cents; negative is credit that the next invoice uses. */
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

/** How a card behaves: `declines_charges` can be attached but declines every charge. */
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

/** A pending delivery of an event to one endpoint; removed when delivered or given up. */
export interface WebhookDelivery extends StoredRecord {
  readonly event: string
  readonly endpoint: string
  readonly attempts: number
  readonly next_attempt_at_ms: number
}

/** The saved reply for an idempotency key. */
export interface KeptReply extends StoredRecord {
  readonly fingerprint: string
  readonly request_id: string
  readonly status: number
  readonly body: string
}

/** Billing settings of the account; at Stripe they are in the dashboard. */
export interface Settings extends StoredRecord {
  readonly clock_offset_seconds: number
  /** Days between a failed renewal payment and the next attempt. */
  readonly retry_days: readonly number[]
  readonly after_retries: 'cancel' | 'mark_unpaid' | 'leave_past_due'
  /** How long a renewal's invoice stays a draft, in seconds. */
  readonly draft_seconds: number
}
