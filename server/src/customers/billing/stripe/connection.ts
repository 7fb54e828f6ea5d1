import { withTimeout } from '@storedex/work'
import Stripe from 'stripe'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { billingIntervals, paidPlans } from '../provider.ts'

export type { Stripe }

/** Address and secrets of Stripe, or of a server with the same API. */
export interface StripeAccess {
  secretKey: string
  /** Each of them is accepted: two during a rotation, none before a webhook endpoint exists. */
  webhookSecrets: readonly string[]
  /** Null: api.stripe.com. */
  apiBase: string | null
}

/** A connection through Stripe's official library, which is used in this file only. */
export interface StripeConnection {
  /** Runs `work`, which may make several requests, for at most five seconds; throws `Refusal` if it fails. */
  call<T>(work: (stripe: Stripe) => Promise<T>): Promise<T>
  /** Whether a webhook's body has a valid signature with a timestamp within five minutes of `now`. */
  isSigned(input: { body: Buffer; signature: string; now: Date }): boolean
}

const timeoutMs = 5_000
const signatureToleranceSeconds = 300
const retryAfterSeconds = 5
// Nothing changes until an operator sets the key.
const setupRetryAfterSeconds = 60

export function connectStripe(access: StripeAccess): StripeConnection {
  const stripe = new Stripe(access.secretKey, {
    timeout: timeoutMs,
    // For transient errors: a concurrent request with the same idempotency key, or a failing server.
    maxNetworkRetries: 2,
    telemetry: false,
    // Unlike the library's Node client, its timeout covers the whole reply, also one that arrives slowly.
    httpClient: Stripe.createFetchHttpClient(fetchWithBase(access.apiBase)),
  })
  return {
    async call(work) {
      try {
        // All requests together; the library's timeout covers only one attempt of one request.
        return await withTimeout(work(stripe), timeoutMs, () => {
          throw new Error(`Stripe took longer than ${timeoutMs} ms`)
        })
      } catch (error) {
        throw toRefusal(error)
      }
    },
    isSigned({ body, signature, now }) {
      const { webhookSecrets } = access
      if (webhookSecrets.length === 0) throw internalError(new Error('STRIPE_WEBHOOK_SECRET is not set'))
      if (isFromFuture(signature, now)) return false
      return webhookSecrets.some((secret) => isSignedWith(stripe, { body, signature, now }, secret))
    },
  }
}

function isSignedWith(
  stripe: Stripe,
  { body, signature, now }: { body: Buffer; signature: string; now: Date },
  secret: string,
): boolean {
  const { signature: signatures } = stripe.webhooks
  try {
    return signatures!.verifyHeader(body, signature, secret, signatureToleranceSeconds, undefined, now.getTime())
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false
    throw error
  }
}

/** The library only rejects old timestamps; a future one would be valid until then and beyond. */
function isFromFuture(signature: string, now: Date): boolean {
  const latestSeconds = now.getTime() / 1000 + signatureToleranceSeconds
  return signature
    .split(',')
    .map((part) => /^t=(.*)/s.exec(part)?.[1])
    .some((timestamp) => timestamp !== undefined && Number.parseInt(timestamp, 10) > latestSeconds)
}

/** The library takes another host and port, but no path prefix. */
function fetchWithBase(apiBase: string | null): typeof fetch {
  return (input, init) => {
    const { origin, pathname, search } = new URL(String(input))
    return fetch(`${apiBase ?? origin}${pathname}${search}`, { ...init, redirect: 'error' })
  }
}

/**
 * A request that Stripe rejected is our bug: internal_error. Everything else is billing_provider_unavailable: no connection,
 * timeout, server error, rate limit, an unreadable reply, or a key that Stripe refuses, which only the operator can correct.
 */
function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const { StripeError, StripeConnectionError, StripeRateLimitError, StripeAPIError } = Stripe.errors
  const isOurBug =
    error instanceof StripeError &&
    !(error instanceof StripeRateLimitError || error instanceof StripeAPIError) &&
    isRejected(error.statusCode)
  if (isOurBug) return internalError(error)
  if (isRefusedKey(error))
    return new Refusal('billing_provider_unavailable', 'The payment provider cannot be used now; try again later.', {
      retryAfterSeconds: setupRetryAfterSeconds,
      needsOperator: true,
      cause: error,
    })
  // The library's message is generic; the cause is in `detail`.
  const cause = error instanceof StripeConnectionError && error.detail instanceof Error ? error.detail : error
  return new Refusal('billing_provider_unavailable', 'The payment provider does not answer; try again in a moment.', {
    retryAfterSeconds,
    cause,
  })
}

export function internalError(cause: unknown): Refusal {
  return new Refusal('internal_error', 'Something went wrong on our side; it has been recorded.', { cause })
}

// 401, 403: the key. 409: a concurrent request has the same idempotency key or changes the same object.
const notOurBug = new Set([401, 403, 409, 429])

function isRejected(statusCode: number | undefined): boolean {
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 && !notOurBug.has(statusCode)
}

/** Whether Stripe refuses the key: wrong, expired, rotated away, or without a right that is needed. */
function isRefusedKey(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && (error.statusCode === 401 || error.statusCode === 403)
}

/** Whether an object in the request does not exist. */
export function isMissingObject(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing'
}

/** Whether the customer in the request does not exist: deleted, or of another Stripe account. */
export function isMissingCustomer(error: unknown): boolean {
  return isMissingObject(error) && (error as Stripe.errors.StripeError).param === 'customer'
}

/** Whether Stripe rejected the request as invalid; with `param`, because of that parameter. */
export function isInvalidRequest(error: unknown, param?: string): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && (param === undefined || error.param === param)
}

/** Whether the idempotency key was used before with other parameters. */
export function isIdempotencyConflict(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError
}

const maxKeys = 5

/**
 * Runs `work` with an idempotency key. Stripe also replays its own server errors for a day: if one is replayed, the next
 * key of the sequence is used. Retries go through the same sequence.
 */
export async function withIdempotencyKey<T>(
  key: string,
  work: (options: { idempotencyKey: string }) => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await work({ idempotencyKey: `${key}-${number}` })
    } catch (error) {
      if (number >= maxKeys || !isReplayedFailure(error)) throw error
    }
  }
}

function isReplayedFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false
  return (error.statusCode ?? 0) >= 500 && error.headers?.['idempotent-replayed'] === 'true'
}

/** The Stripe part of the configuration. */
interface StripeSettings {
  secretKey: string | null
  webhookSecrets: readonly string[]
  apiBase: string | null
}

/** Returns a function that yields the configured access, or throws `billing_provider_unavailable` without a key. */
export function accessFromSettings({
  secretKey,
  webhookSecrets,
  apiBase,
}: StripeSettings): () => Promise<StripeAccess> {
  const access = secretKey === null ? null : { secretKey, webhookSecrets, apiBase }
  return async () => {
    if (access) return access
    throw new Refusal('billing_provider_unavailable', 'No payment provider is set up.', {
      retryAfterSeconds: setupRetryAfterSeconds,
      cause: new Error('STRIPE_SECRET_KEY is not set and the local stand-in does not run here'),
    })
  }
}

/** Price ids that the local stand-in is seeded with, by `plan_billing`. */
export const standinPrices: Readonly<Record<string, string>> = Object.fromEntries(
  paidPlans.flatMap((plan) =>
    billingIntervals.map((billing) => [`${plan}_${billing}`, `price_standin_${plan}_${billing}`]),
  ),
)
