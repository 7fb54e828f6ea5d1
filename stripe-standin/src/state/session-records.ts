import type { Metadata, StoredRecord } from './records.ts'
import type { MissingPaymentMethod } from './subscription-records.ts'

export interface CheckoutSession extends StoredRecord {
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

export interface PortalConfiguration extends StoredRecord {
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

export interface PortalSession extends StoredRecord {
  readonly customer: string
  readonly configuration: string
  readonly return_url: string | null
  readonly locale: string | null
  readonly flow: PortalFlow | null
  readonly after_completion: AfterCompletion
  /** When the flow was completed; a flow can be completed only once. */
  readonly completed_at: number | null
}
