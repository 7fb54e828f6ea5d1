import type { Customer, Metadata, StoredRecord } from './records.ts'

export type SubscriptionStatus =
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'unpaid'
  | 'canceled'
  | 'incomplete'
  | 'incomplete_expired'
  | 'paused'

export interface SubscriptionItem extends StoredRecord {
  readonly price: string
  readonly quantity: number
  readonly metadata: Metadata
  readonly current_period_start: number
  readonly current_period_end: number
}

export type MissingPaymentMethod = 'cancel' | 'create_invoice' | 'pause'

export interface Subscription extends StoredRecord {
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
  /** The schedule that changes the plan at the end of the period. */
  readonly schedule: string | null
}

/** A plan change scheduled for the end of the paid period. */
export interface SubscriptionSchedule extends StoredRecord {
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

export interface Invoice extends StoredRecord {
  readonly customer: string
  readonly subscription: string | null
  readonly status: InvoiceStatus
  readonly billing_reason: BillingReason
  /** Customer details and subscription metadata at the time of creation. */
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

/** An amount for the customer's next invoice, or (with `invoice`) one that is already on an invoice. */
export interface InvoiceItem extends StoredRecord {
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
