import { endedStatuses, isSubscriptionRunning } from '../../accounts/account.ts'
import { billingAccountNotFound } from '../links/counted-links.ts'
import type { BillingInterval, BillingProvider, OfferPrice, PaidPlan, ProviderSubscription } from '../provider.ts'
import { closeCheckouts, replaceCheckouts } from './checkouts.ts'
import {
  connectStripe,
  internalError,
  isIdempotencyConflict,
  isMissingCustomer,
  isMissingObject,
  type Stripe,
  type StripeAccess,
  withIdempotencyKey,
} from './connection.ts'
import { dateFromSeconds, offersByPriceId, parseEvent, toOfferPrice, toProviderSubscription } from './objects.ts'
import { createSessionAtPaymentMethod, ensurePaymentMethodConfiguration, findPortalConfiguration } from './portal.ts'

export interface StripeProviderOptions {
  /** Called before each request: the local stand-in may be started by it, or have a new address after a restart. */
  getAccess: () => Promise<StripeAccess>
  /** Price ids by `plan_billing`; missing ones are not for sale. */
  prices: Readonly<Record<string, string>>
}

const subscriptionsPerPage = 100
const maxSubscriptions = 1_000

/** The payment provider on Stripe's API. */
export function createStripeProvider({ getAccess, prices }: StripeProviderOptions): BillingProvider {
  const offers = offersByPriceId(prices)
  let cached:
    | { access: StripeAccess; connection: ReturnType<typeof connectStripe>; prices?: Promise<OfferPrice[]> }
    | undefined
  const connect = async () => {
    const access = await getAccess()
    if (cached?.access !== access) cached = { access, connection: connectStripe(access) }
    return cached
  }
  const call = async <T>(work: (stripe: Stripe) => Promise<T>) => (await connect()).connection.call(work)

  /** A call with a customer parameter; an unknown customer becomes `billing_account_not_found`. */
  const callForCustomer = <T>(work: (stripe: Stripe) => Promise<T>) =>
    call((stripe) =>
      work(stripe).catch((cause) => {
        throw isMissingCustomer(cause) ? billingAccountNotFound(cause) : cause
      }),
    )

  const priceOf = (plan: PaidPlan, billing: BillingInterval) => {
    const price = prices[`${plan}_${billing}`]
    if (!price) throw internalError(new Error(`${plan}, billed ${billing}, is not for sale`))
    return price
  }
  const list = async (stripe: Stripe, customerId: string): Promise<ProviderSubscription[]> => {
    const found = await stripe.subscriptions
      .list({ customer: customerId, status: 'all', limit: subscriptionsPerPage, expand: ['data.customer'] })
      .autoPagingToArray({ limit: maxSubscriptions })
    return found
      .map((subscription) => toProviderSubscription(subscription, offers))
      .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  }

  /** A price that was deleted at Stripe, or belongs to another Stripe account, is left out. */
  const retrievePrice = async (stripe: Stripe, id: string): Promise<OfferPrice[]> => {
    try {
      return toOfferPrice(await stripe.prices.retrieve(id), offers)
    } catch (error) {
      if (isMissingObject(error)) return []
      throw error
    }
  }

  return {
    async listPrices() {
      const connected = await connect()
      // Stripe never changes the amount of a price: read once, also for concurrent callers.
      connected.prices ??= call(async (stripe) =>
        (await Promise.all([...offers.keys()].map((id) => retrievePrice(stripe, id)))).flat(),
      ).catch((error) => {
        delete connected.prices
        throw error
      })
      return connected.prices
    },

    isForSale: (plan, billing) => `${plan}_${billing}` in prices,

    async createCustomer({ publicId, name, email, replaces }) {
      const { id } = await call((stripe) =>
        withIdempotencyKey(`storedex-customer-${publicId}${replaces ? `-after-${replaces}` : ''}`, (requestOptions) =>
          stripe.customers.create(
            { name, ...(email && { email }), metadata: { storedex_account: publicId } },
            requestOptions,
          ),
        ),
      )
      return id
    },

    listSubscriptions: (customerId) =>
      call((stripe) =>
        list(stripe, customerId).catch((error) => {
          if (isMissingObject(error)) return []
          throw error
        }),
      ),

    createCheckout: ({ customerId, plan, billing, accountPublicId, returnUrl, canceledUrl, expiresAt }) =>
      callForCustomer(async (stripe) => {
        const metadata = { storedex_account: accountPublicId }
        const session = await replaceCheckouts(
          stripe,
          {
            mode: 'subscription',
            customer: customerId,
            client_reference_id: accountPublicId,
            line_items: [{ price: priceOf(plan, billing), quantity: 1 }],
            success_url: returnUrl,
            cancel_url: canceledUrl,
            expires_at: Math.ceil(expiresAt.getTime() / 1000),
            metadata,
            subscription_data: { metadata },
          },
          async () => (await list(stripe, customerId)).some(isSubscriptionRunning),
        )
        return { url: urlOf(session), expiresAt: dateFromSeconds(session.expires_at) }
      }),

    closeCheckouts: (customerId) => call((stripe) => closeCheckouts(stripe, customerId)),

    createUpdateConfirmation: ({ customerId, subscriptionId, plan, billing, returnUrl, canceledUrl }) =>
      call(async (stripe) => {
        const [subscription, configuration] = await Promise.all([
          stripe.subscriptions.retrieve(subscriptionId),
          findPortalConfiguration(stripe),
        ])
        const items = subscription.items.data
        const item = items.find(({ price }) => offers.has(price.id)) ?? items[0]!
        const session = await stripe.billingPortal.sessions.create({
          customer: customerId,
          return_url: canceledUrl,
          ...(configuration && { configuration }),
          flow_data: {
            type: 'subscription_update_confirm',
            subscription_update_confirm: {
              subscription: subscriptionId,
              items: [{ id: item.id, price: priceOf(plan, billing), quantity: 1 }],
            },
            after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
          },
        })
        return { url: urlOf(session), expiresAt: null }
      }),

    createPortal: ({ customerId, returnUrl, opensAt }) =>
      callForCustomer(async (stripe) => {
        const configuration = await findPortalConfiguration(stripe)
        const params = { customer: customerId, return_url: returnUrl, ...(configuration && { configuration }) }
        const session = await (opensAt === 'payment_method'
          ? createSessionAtPaymentMethod(stripe, params)
          : stripe.billingPortal.sessions.create(params))
        return { url: urlOf(session), expiresAt: null }
      }),

    createPaymentMethodUpdate: ({ customerId, returnUrl }) =>
      callForCustomer(async (stripe) => {
        const session = await stripe.billingPortal.sessions.create({
          customer: customerId,
          return_url: returnUrl,
          configuration: await ensurePaymentMethodConfiguration(stripe),
          flow_data: {
            type: 'payment_method_update',
            // Without this the finished flow continues into the portal.
            after_completion: { type: 'redirect', redirect: { return_url: returnUrl } },
          },
        })
        return { url: urlOf(session), expiresAt: null }
      }),

    startTrial: ({ customerId, plan, billing, endsAt, accountPublicId }) =>
      call(async (stripe) => {
        const before = await list(stripe, customerId)
        if (before.some(isLive)) return
        // The number of ended subscriptions distinguishes a new trial from a retry.
        const key = `storedex-trial-${accountPublicId}-${before.length}`
        try {
          await withIdempotencyKey(key, async (requestOptions) => {
            // A replayed failure may have happened after the subscription was created.
            if ((await list(stripe, customerId)).some(isLive)) return
            await stripe.subscriptions.create(
              {
                customer: customerId,
                items: [{ price: priceOf(plan, billing) }],
                trial_end: Math.ceil(endsAt.getTime() / 1000),
                trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
                metadata: { storedex_account: accountPublicId },
              },
              requestOptions,
            )
          })
        } catch (error) {
          // A concurrent call with another end date won.
          if (!isIdempotencyConflict(error) || !(await list(stripe, customerId)).some(isLive)) throw error
        }
      }),

    endTrial: (subscriptionId) =>
      call(async (stripe) => {
        const { trial_end } = await stripe.subscriptions.retrieve(subscriptionId)
        await withIdempotencyKey(`storedex-end-trial-${subscriptionId}-${trial_end}`, async (requestOptions) => {
          // On a trial that has ended, Stripe would start and charge a new period.
          const { status } = await stripe.subscriptions.retrieve(subscriptionId)
          if (status === 'trialing')
            await stripe.subscriptions.update(subscriptionId, { trial_end: 'now' }, requestOptions)
        })
      }),

    async parseSignedEvent(input) {
      const { access, connection } = await connect()
      return connection.isSigned(input) ? parseEvent(input.body, access.secretKey) : null
    },
  }
}

function isLive({ status }: ProviderSubscription): boolean {
  return !endedStatuses.has(status)
}

function urlOf({ url }: { url: string | null }): string {
  if (!url) throw new Error('Stripe created a session without a URL')
  return url
}
