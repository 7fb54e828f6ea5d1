/**
 * What the stand-in remembers: one record per Stripe object, holding only the facts; the fields that never vary are
 * added when an object is presented. Records are values: a change puts a new record in place of the old one.
 * Times are whole seconds since 1970 on the stand-in's clock, amounts are in cents.
 */

export type Metadata = Readonly<Record<string, string>>

interface Stored {
  readonly id: string
  readonly created: number
}

export interface Customer extends Stored {
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

export interface Product extends Stored {
  readonly name: string
  readonly description: string | null
  readonly active: boolean
  readonly default_price: string | null
  readonly metadata: Metadata
  readonly url: string | null
  readonly updated: number
}

export type Interval = 'day' | 'week' | 'month' | 'year'

export interface Price extends Stored {
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

export interface PaymentMethod extends Stored {
  readonly customer: string | null
  readonly behavior: CardBehavior
  readonly brand: string
  readonly last4: string
  readonly billing_details: { readonly email: string | null; readonly name: string | null }
  readonly metadata: Metadata
}

export type SubscriptionStatus =
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'unpaid'
  | 'canceled'
  | 'incomplete'
  | 'incomplete_expired'
  | 'paused'

export interface SubscriptionItem extends Stored {
  readonly price: string
  readonly quantity: number
  readonly metadata: Metadata
  readonly current_period_start: number
  readonly current_period_end: number
}

export type MissingPaymentMethod = 'cancel' | 'create_invoice' | 'pause'

export interface Subscription extends Stored {
  readonly customer: string
  readonly status: SubscriptionStatus
  readonly currency: string
  readonly items: readonly SubscriptionItem[]
  readonly metadata: Metadata
  readonly description: string | null
  readonly default_payment_method: string | null
  readonly collection_method: 'charge_automatically' | 'send_invoice'
  readonly days_until_due: number | null
  readonly billing_cycle_anchor: number
  readonly start_date: number
  readonly trial_start: number | null
  readonly trial_end: number | null
  readonly trial_will_end_told: boolean
  readonly missing_payment_method: MissingPaymentMethod
  readonly cancel_at_period_end: boolean
  readonly cancel_at: number | null
  readonly canceled_at: number | null
  readonly ended_at: number | null
  readonly cancellation: {
    readonly comment: string | null
    readonly feedback: string | null
    readonly reason: 'cancellation_requested' | 'payment_failed' | null
  }
  readonly pause_collection: {
    readonly behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'
    readonly resumes_at: number | null
  } | null
  readonly latest_invoice: string | null
  /** The subscription schedule that changes the plan when the period ends. */
  readonly schedule: string | null
}

/** A change of plan that waits for the end of the paid period. */
export interface SubscriptionSchedule extends Stored {
  readonly subscription: string
  readonly customer: string
  readonly status: 'active' | 'completed' | 'released' | 'canceled'
  readonly price: string
  readonly quantity: number
  readonly at: number
  readonly previous_price: string
  readonly phase_start: number
  readonly ended_at: number | null
}

export interface InvoiceLine {
  readonly id: string
  readonly amount: number
  readonly description: string | null
  readonly period: { readonly start: number; readonly end: number }
  readonly price: string | null
  readonly quantity: number
  readonly proration: boolean
  readonly invoice_item: string | null
  readonly subscription: string | null
  readonly subscription_item: string | null
}

export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void'

export type BillingReason =
  | 'manual'
  | 'subscription_create'
  | 'subscription_cycle'
  | 'subscription_update'
  | 'subscription_threshold'

export interface Invoice extends Stored {
  readonly customer: string
  readonly subscription: string | null
  readonly status: InvoiceStatus
  readonly billing_reason: BillingReason
  /** Who it was for, and its subscription's metadata, as they were when it was made. */
  readonly billed_to: Pick<Customer, 'email' | 'name' | 'phone'>
  readonly subscription_metadata: Metadata
  readonly currency: string
  readonly lines: readonly InvoiceLine[]
  readonly total: number
  readonly starting_balance: number
  readonly amount_paid: number
  readonly number: string | null
  readonly description: string | null
  readonly metadata: Metadata
  readonly collection_method: 'charge_automatically' | 'send_invoice'
  readonly default_payment_method: string | null
  readonly auto_advance: boolean
  readonly attempt_count: number
  readonly next_payment_attempt: number | null
  readonly automatically_finalizes_at: number | null
  readonly due_date: number | null
  readonly period_start: number
  readonly period_end: number
  readonly finalized_at: number | null
  readonly paid_at: number | null
  readonly voided_at: number | null
  readonly marked_uncollectible_at: number | null
}

/** An amount that waits for the customer's next invoice, or (with `invoice`) has become a line of one. */
export interface InvoiceItem extends Stored {
  readonly customer: string
  readonly invoice: string | null
  readonly subscription: string | null
  readonly subscription_item: string | null
  readonly amount: number
  readonly currency: string
  readonly description: string | null
  readonly price: string | null
  readonly quantity: number
  readonly proration: boolean
  readonly period: { readonly start: number; readonly end: number }
  readonly metadata: Metadata
}

export interface CheckoutSession extends Stored {
  readonly mode: 'subscription'
  readonly status: 'open' | 'complete' | 'expired'
  readonly payment_status: 'paid' | 'unpaid' | 'no_payment_required'
  readonly customer: string | null
  readonly customer_email: string | null
  readonly client_reference_id: string | null
  readonly line_items: readonly { readonly id: string; readonly price: string; readonly quantity: number }[]
  readonly currency: string
  readonly success_url: string
  readonly cancel_url: string | null
  readonly expires_at: number
  readonly metadata: Metadata
  readonly subscription_metadata: Metadata
  readonly subscription_description: string | null
  readonly trial_end: number | null
  readonly trial_period_days: number | null
  readonly missing_payment_method: MissingPaymentMethod
  readonly payment_method_collection: 'always' | 'if_required'
  readonly allow_promotion_codes: boolean | null
  readonly billing_address_collection: 'auto' | 'required' | null
  readonly locale: string | null
  readonly subscription: string | null
  readonly invoice: string | null
}

export type ProrationBehavior = 'always_invoice' | 'create_prorations' | 'none'

export interface PortalConfiguration extends Stored {
  readonly updated: number
  readonly active: boolean
  readonly is_default: boolean
  readonly name: string | null
  readonly metadata: Metadata
  readonly default_return_url: string | null
  readonly business_profile: {
    readonly headline: string | null
    readonly privacy_policy_url: string | null
    readonly terms_of_service_url: string | null
  }
  readonly features: {
    readonly customer_update: { readonly enabled: boolean; readonly allowed_updates: readonly string[] }
    readonly invoice_history: { readonly enabled: boolean }
    readonly payment_method_update: { readonly enabled: boolean }
    readonly subscription_cancel: {
      readonly enabled: boolean
      readonly mode: 'at_period_end' | 'immediately'
      readonly proration_behavior: ProrationBehavior
      readonly cancellation_reason: { readonly enabled: boolean; readonly options: readonly string[] }
    }
    readonly subscription_update: {
      readonly enabled: boolean
      readonly default_allowed_updates: readonly string[]
      readonly proration_behavior: ProrationBehavior
      readonly products: readonly { readonly product: string; readonly prices: readonly string[] }[]
      readonly schedule_at_period_end: readonly ('decreasing_item_amount' | 'shortening_interval')[]
      readonly trial_update_behavior: 'continue_trial' | 'end_trial'
    }
  }
}

export type PortalFlow =
  | { readonly type: 'payment_method_update' }
  | { readonly type: 'subscription_cancel'; readonly subscription: string }
  | { readonly type: 'subscription_update'; readonly subscription: string }
  | {
      readonly type: 'subscription_update_confirm'
      readonly subscription: string
      readonly item: string
      readonly price: string
      readonly quantity: number
    }

export type AfterCompletion =
  | { readonly type: 'portal_homepage' }
  | { readonly type: 'redirect'; readonly return_url: string }
  | { readonly type: 'hosted_confirmation'; readonly custom_message: string | null }

export interface PortalSession extends Stored {
  readonly customer: string
  readonly configuration: string
  readonly return_url: string | null
  readonly locale: string | null
  readonly flow: PortalFlow | null
  readonly after_completion: AfterCompletion
  /** Set when the flow was done; it is done once only. */
  readonly completed_at: number | null
}

export interface WebhookEndpoint extends Stored {
  readonly url: string
  readonly secret: string
  readonly enabled_events: readonly string[]
  readonly description: string | null
  readonly metadata: Metadata
  readonly status: 'enabled' | 'disabled'
  readonly api_version: string | null
}

export interface StripeEvent extends Stored {
  readonly type: string
  readonly data: { readonly object: unknown; readonly previous_attributes?: unknown }
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null }
}

/** An event on its way to one endpoint; it is removed when it has arrived or was given up. */
export interface Delivery extends Stored {
  readonly event: string
  readonly endpoint: string
  readonly attempts: number
  readonly next_attempt_at_ms: number
}

/** The reply that a repeated request with the same Idempotency-Key gets again. */
export interface KeptReply extends Stored {
  readonly fingerprint: string
  readonly request_id: string
  readonly status: number
  readonly body: string
}

/** How the account's billing is set up; at Stripe these are settings of the dashboard. */
export interface Settings extends Stored {
  readonly clock_offset_seconds: number
  /** Days from one failed payment of a renewal to the next attempt. */
  readonly retry_days: readonly number[]
  readonly after_retries: 'cancel' | 'mark_unpaid' | 'leave_past_due'
  /** How long a renewal's invoice stays a draft. */
  readonly draft_seconds: number
}

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
