import type * as api from '../generated/types.ts'
import type { CallOptions } from '../options.ts'
import type { ApiPromise } from '../reply.ts'
import { Resource } from './resource.ts'

/** Plan, limits and what is left. */
export class Usage extends Resource {
  /** Each meter's limit, what is used and what remains. */
  get(options?: CallOptions): ApiPromise<api.Usage> {
    return this.call({ method: 'GET', path: '/usage' }, options)
  }
}

/** The values that filters accept. */
export class Taxonomy extends Resource {
  /** Every value, with its label. */
  get(options?: CallOptions): ApiPromise<api.Taxonomy> {
    return this.call({ method: 'GET', path: '/taxonomy' }, options)
  }
}

/** What something would cost. */
export class Quotes extends Resource {
  /** What a reveal or an export would cost now, or what an earlier quote of a reveal costs by now. Changes and reserves nothing. */
  create(
    body: api.RevealQuoteRequest | api.QuotedRevealRequest | api.ExportQuoteRequest,
    options?: CallOptions,
  ): ApiPromise<api.Quote> {
    return this.call({ method: 'POST', path: '/quotes', body }, options)
  }
}

/** The plan at the payment provider. Links are capabilities: do not log them. */
export class Billing extends Resource {
  /** Plan, access and what can be done. */
  status(options?: CallOptions): ApiPromise<api.BillingStatus> {
    return this.call({ method: 'GET', path: '/billing/status' }, options)
  }

  /** A link on which a person buys or changes a plan. Charges nothing by itself. */
  createSubscriptionLink(body: api.SubscriptionLinkRequest, options?: CallOptions): ApiPromise<api.BillingLink> {
    return this.call({ method: 'POST', path: '/billing/subscription-link', body, repeatable: false }, options)
  }

  /** A link to invoices, payment methods and cancellation. */
  createPortalLink(options?: CallOptions): ApiPromise<api.BillingLink> {
    return this.call({ method: 'POST', path: '/billing/portal-link', repeatable: false }, options)
  }
}
