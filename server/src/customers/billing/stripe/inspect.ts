import { Refusal } from '../../../foundation/kernel/errors.ts'
import { handledEventTypes } from '../sync/webhooks.ts'
import { isMissingObject, type StripeConnection } from './connection.ts'

/** What of the setup at Stripe does not fit the settings. Reads only. */
export interface StripeInspection {
  /** Prices by their setting that Stripe does not know, or has archived. */
  unusablePrices: string[]
  /** The fault of the webhook endpoint: missing, disabled, or without some events; null if it is complete. */
  webhook: 'missing' | 'disabled' | 'lacks_events' | null
}

/** Throws an `Refusal` when Stripe does not answer or refuses the key. */
export async function inspectStripe(
  { call }: StripeConnection,
  { prices, webhookUrl }: { prices: Readonly<Record<string, string>>; webhookUrl: string | null },
): Promise<StripeInspection> {
  // First, so that a refused key is not taken for a missing price.
  await call((stripe) => stripe.prices.list({ limit: 1 }))
  const looked = await Promise.all(
    Object.entries(prices).map(async ([name, id]) => {
      const isUsable = await call((stripe) =>
        stripe.prices.retrieve(id).then(
          ({ active }) => active,
          (error) => {
            if (isMissingObject(error)) return false
            throw error
          },
        ),
      )
      return isUsable ? [] : [name]
    }),
  )
  return {
    unusablePrices: looked.flat(),
    webhook: webhookUrl === null ? null : await inspectWebhook({ call }, webhookUrl),
  }
}

async function inspectWebhook(
  { call }: Pick<StripeConnection, 'call'>,
  url: string,
): Promise<StripeInspection['webhook']> {
  const endpoints = await call((stripe) =>
    stripe.webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 }),
  )
  const endpoint = endpoints.find((each) => each.url === url)
  if (!endpoint) return 'missing'
  if (endpoint.status !== 'enabled') return 'disabled'
  const enabled = new Set<string>(endpoint.enabled_events)
  return enabled.has('*') || handledEventTypes.every((type) => enabled.has(type)) ? null : 'lacks_events'
}

/** Why Stripe cannot be used, as a phrase without secrets. */
export function describeStripeFailure(error: unknown): string {
  if (!(error instanceof Refusal)) throw error
  const { statusCode } = (error.cause ?? {}) as { statusCode?: number }
  if (statusCode === 401) return 'it refuses the key'
  if (statusCode === 403) return 'the key lacks a right'
  if (error.code === 'billing_provider_unavailable') return 'it does not answer'
  return `it answered with ${statusCode ?? 'an error'}`
}
