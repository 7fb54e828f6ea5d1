import { ApiError } from '../kernel/errors.ts'
import type { StripeAccess } from './stripe/connection.ts'

// Nothing changes before a person sets it up.
const setupRetryAfterSeconds = 60

/** What the configuration says of Stripe. */
interface StripeSettings {
  secretKey: string | null
  webhookSecrets: readonly string[]
  apiBase: string | null
}

/** How Stripe is reached by what the operator gave; nothing can be asked of it without a key. */
export function configuredAccess({ secretKey, webhookSecrets, apiBase }: StripeSettings): () => Promise<StripeAccess> {
  const access = secretKey === null ? null : { secretKey, webhookSecrets, apiBase }
  return async () => {
    if (access) return access
    throw new ApiError('billing_provider_unavailable', 'No payment provider is set up.', {
      retryAfterSeconds: setupRetryAfterSeconds,
      cause: new Error('STRIPE_SECRET_KEY is not set and the local stand-in does not run here'),
    })
  }
}

/** What the local stand-in sells, by `plan_billing`: it is seeded with these prices. */
export const standinPrices: Readonly<Record<string, string>> = Object.fromEntries(
  ['pro', 'business', 'enterprise'].flatMap((plan) =>
    ['monthly', 'annual'].map((billing) => [`${plan}_${billing}`, `price_standin_${plan}_${billing}`]),
  ),
)
