import type { PlanSlug } from '../accounts/plans.ts'

/** What is sold by link. */
export type PaidPlan = Exclude<PlanSlug, 'free'>
export type Billing = 'monthly' | 'annual'

/** What is charged, and how often. */
export interface Price {
  /** In the currency's smallest unit. */
  amount: number
  /** ISO 4217. */
  currency: string
  /** Such as month or year. */
  interval: string
  intervalCount: number
}

/** A subscription as the provider tells it, in our words. */
export interface ProviderSubscription {
  id: string
  customerId: string
  /** The provider's word, kept as it is. */
  status: string
  /** Null for a price that is not one of ours. */
  offer: { plan: PaidPlan; billing: Billing } | null
  /** Before taxes and discounts; null where it is not one fixed sum. */
  price: Price | null
  /** Where its periods are counted from. */
  billingCycleAnchor: Date
  currentPeriodEnd: Date | null
  trialStart: Date | null
  trialEnd: Date | null
  cancelAtPeriodEnd: boolean
  hasPaymentMethod: boolean
  createdAt: Date
}

/** A link to a page of the provider: a capability for whoever holds it. */
export interface ProviderLink {
  url: string
  expiresAt: Date | null
}

/** An event as far as it matters here: what happened is read from the provider, not from the event. */
export interface ProviderEvent {
  id: string
  type: string
  /** The customer that it is about, if it is about one. */
  customerId: string | null
  /** Whether it is of the provider's other mode, live or test, than the service. */
  isOtherMode: boolean
}

/**
 * All that is asked of the payment provider. Every call ends within five seconds; when the provider is away, slow or broken
 * it throws `ApiError` billing_provider_unavailable with the private cause.
 */
export interface BillingProvider {
  /** The customer of an account; asked twice at once, or again after a crash, it is the same one. */
  createCustomer(account: {
    publicId: string
    name: string
    email: string | null
    /** One that the provider does not know any more. */
    replaces?: string
  }): Promise<string>
  /** All subscriptions of a customer, ended ones too, the newest first. */
  listSubscriptions(customerId: string): Promise<ProviderSubscription[]>
  /**
   * A checkout that takes the place of all others: of the links that were handed out for a customer only the newest can be
   * paid, and none while a subscription runs. Throws `ApiError` billing_account_not_found where the provider does not know
   * the customer; so do `createPortal` and `createPaymentMethodUpdate`.
   */
  createCheckout(input: {
    customerId: string
    plan: PaidPlan
    billing: Billing
    accountPublicId: string
    returnUrl: string
    /** Where whoever does not buy is led. */
    canceledUrl: string
    /** At least half an hour ahead; the provider may choose another moment. */
    expiresAt: Date
  }): Promise<ProviderLink>
  /** Ends all checkouts of a customer that could still be paid. */
  closeCheckouts(customerId: string): Promise<void>
  /** `returnUrl` is where the page leads back to, here and below, whatever became of it. */
  createUpdateConfirmation(input: {
    customerId: string
    subscriptionId: string
    plan: PaidPlan
    billing: Billing
    returnUrl: string
  }): Promise<ProviderLink>
  createPortal(input: { customerId: string; returnUrl: string }): Promise<ProviderLink>
  /** A page that adds or replaces the payment method, and leads to nothing else of the portal. */
  createPaymentMethodUpdate(input: { customerId: string; returnUrl: string }): Promise<ProviderLink>
  /** Starts a subscription in its trial. Asked again for the same account it is the same one. */
  startTrial(input: {
    customerId: string
    plan: PaidPlan
    billing: Billing
    endsAt: Date
    accountPublicId: string
  }): Promise<void>
  /** Ends a trial at once; one that has ended already is left alone. */
  endTrial(subscriptionId: string): Promise<void>
  /** Whether a plan can be bought by link. */
  isForSale(plan: PaidPlan, billing: Billing): boolean
  /** The event in a webhook's body; null when the signature does not fit, or is of another moment than the five minutes around `now`. */
  parseSignedEvent(input: { body: Buffer; signature: string; now: Date }): Promise<ProviderEvent | null>
}
