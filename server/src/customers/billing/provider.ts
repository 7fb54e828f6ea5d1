import type { PlanSlug } from '../accounts/plans.ts'

/** Plans that can be bought with a link, in ascending order. */
export const paidPlans = ['pro', 'business', 'enterprise'] as const satisfies readonly PlanSlug[]
export type PaidPlan = (typeof paidPlans)[number]

export const billingIntervals = ['monthly', 'annual'] as const
export type BillingInterval = (typeof billingIntervals)[number]

/** A plan with a billing interval. */
export interface Offer {
  plan: PaidPlan
  billing: BillingInterval
}

/** The amount of one charge, and how often it is charged. */
export interface Price {
  /** In the currency's smallest unit. */
  amount: number
  /** ISO 4217. */
  currency: string
  /** Stripe's word: day, week, month or year. */
  interval: string
  intervalCount: number
}

/** The price of a plan that is bought with a link. */
export interface OfferPrice extends Offer {
  price: Price
}

/** A subscription at the provider, independent of the provider's API version. */
export interface ProviderSubscription {
  id: string
  customerId: string
  /** Stripe's status, unchanged; may be one this code does not know. */
  status: string
  /** Null if no item, or more than one, has a configured price. */
  offer: Offer | null
  /** Before taxes and discounts; null if it is not one fixed amount. */
  price: Price | null
  /** The time from which its billing periods are counted. */
  billingCycleAnchor: Date
  currentPeriodEnd: Date | null
  trialStart: Date | null
  trialEnd: Date | null
  cancelAtPeriodEnd: boolean
  hasPaymentMethod: boolean
  createdAt: Date
}

export type PortalPage = 'home' | 'payment_method'

/** A link to a page of the provider. A capability: never log it. */
export interface ProviderLink {
  url: string
  expiresAt: Date | null
}

/** The used part of an event. It only says that something changed; the new state is read from the provider. */
export interface ProviderEvent {
  id: string
  type: string
  /** The affected customer, if there is one. */
  customerId: string | null
  /** Whether it is a live event and the service has a test key, or the reverse. */
  isOtherMode: boolean
}

/**
 * The operations of a payment provider. Every call ends within five seconds; if the provider is unreachable, slow or
 * broken it throws `Refusal` billing_provider_unavailable with the private cause.
 */
export interface BillingProvider {
  /** Creates the customer of an account. Idempotent: concurrent calls and retries return the same id. */
  createCustomer(account: {
    publicId: string
    name: string
    email: string | null
    /** The previous customer, which the provider no longer knows. */
    replaces?: string
  }): Promise<string>
  /** All subscriptions of a customer, including ended ones, newest first. */
  listSubscriptions(customerId: string): Promise<ProviderSubscription[]>
  /**
   * Creates a checkout and closes the customer's other ones: only the newest link can be paid, and none while a
   * subscription runs. Throws `Refusal` billing_account_not_found if the provider does not know the customer; so do
   * `createPortal` and `createPaymentMethodUpdate`.
   */
  createCheckout(input: {
    customerId: string
    plan: PaidPlan
    billing: BillingInterval
    accountPublicId: string
    returnUrl: string
    /** Target of the page's cancel link. */
    canceledUrl: string
    /** At least half an hour ahead; the provider may choose another time. */
    expiresAt: Date
  }): Promise<ProviderLink>
  /** Closes all checkouts of a customer that could still be paid. */
  closeCheckouts(customerId: string): Promise<void>
  /** A page that confirms a plan change. */
  createUpdateConfirmation(input: {
    customerId: string
    subscriptionId: string
    plan: PaidPlan
    billing: BillingInterval
    returnUrl: string
    /** Target of the page's link back, without a confirmation. */
    canceledUrl: string
  }): Promise<ProviderLink>
  /**
   * The portal. It opens at its home, or at the payment method, from where the rest of it is reached afterwards. Here and
   * below `returnUrl` is the target of the way back, whatever the outcome.
   */
  createPortal(input: { customerId: string; returnUrl: string; opensAt: PortalPage }): Promise<ProviderLink>
  /** A page that adds or replaces the payment method, without access to the rest of the portal. */
  createPaymentMethodUpdate(input: { customerId: string; returnUrl: string }): Promise<ProviderLink>
  /** Starts a subscription with a trial. Idempotent: does nothing if the account has a live subscription. */
  startTrial(input: {
    customerId: string
    plan: PaidPlan
    billing: BillingInterval
    endsAt: Date
    accountPublicId: string
  }): Promise<void>
  /** Ends a trial now; does nothing if it has already ended. */
  endTrial(subscriptionId: string): Promise<void>
  /** The prices of all offers that can be bought with a link; without those that are not one fixed amount. */
  listPrices(): Promise<OfferPrice[]>
  /** Whether a plan can be bought with a link. */
  isForSale(plan: PaidPlan, billing: BillingInterval): boolean
  /** Parses a webhook's body; null if the signature is invalid, or its timestamp more than five minutes from `now`. */
  parseSignedEvent(input: { body: Buffer; signature: string; now: Date }): Promise<ProviderEvent | null>
}
