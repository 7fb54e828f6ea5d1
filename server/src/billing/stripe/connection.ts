import Stripe from 'stripe'
import { ApiError } from '../../kernel/errors.ts'

export type { Stripe }

/** How Stripe, or whatever speaks its API, is reached. */
export interface StripeAccess {
  secretKey: string
  /** Sign its events, each good on its own: two while they are rotated, none while no endpoint for events was made. */
  webhookSecrets: readonly string[]
  /** Null: Stripe's own address. */
  apiBase: string | null
}

/** A connection to Stripe, by the official library: this file alone touches it. */
export interface StripeConnection {
  /** Does `work`, which may take several requests, within five seconds; throws `ApiError` when it fails. */
  call<T>(work: (stripe: Stripe) => Promise<T>): Promise<T>
  /** Whether a webhook's body comes from there, and was signed within five minutes of now. */
  isSigned(input: { body: Buffer; signature: string; now: Date }): boolean
}

const timeoutMs = 5_000
const signatureToleranceSeconds = 300
const retryAfterSeconds = 5

export function connectStripe(access: StripeAccess): StripeConnection {
  const stripe = new Stripe(access.secretKey, {
    timeout: timeoutMs,
    // Passing trouble: another request with the same idempotency key is at work, or one server of many fails.
    maxNetworkRetries: 2,
    telemetry: false,
    // Unlike Node's own, this client's timeout also ends a reply that comes in drops.
    httpClient: Stripe.createFetchHttpClient(fetchFrom(access.apiBase)),
  })
  return {
    async call(work) {
      try {
        return await withinTime(work(stripe))
      } catch (error) {
        throw refusalOf(error)
      }
    },
    isSigned({ body, signature, now }) {
      const { webhookSecrets } = access
      if (webhookSecrets.length === 0) throw internalError(new Error('STRIPE_WEBHOOK_SECRET is not set'))
      if (isOfTheFuture(signature, now)) return false
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

/** The library bounds only how old a signature may be: one of a later moment would be good until then, and after it. */
function isOfTheFuture(signature: string, now: Date): boolean {
  const latestSeconds = now.getTime() / 1000 + signatureToleranceSeconds
  return signature
    .split(',')
    .map((part) => /^t=(.*)/s.exec(part)?.[1])
    .some((timestamp) => timestamp !== undefined && Number.parseInt(timestamp, 10) > latestSeconds)
}

/** The library knows host and port of another address, but no path before its own. */
function fetchFrom(apiBase: string | null): typeof fetch {
  return (input, init) => {
    const { origin, pathname, search } = new URL(String(input))
    return fetch(`${apiBase ?? origin}${pathname}${search}`, { ...init, redirect: 'error' })
  }
}

/** Each request has its own timeout; retries and a second request can add up to more. */
async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Stripe took longer than ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * A request that Stripe understood and refused is a fault of ours. Anything else means that there is no telling what
 * Stripe thinks: no connection, no reply in time, a server at fault, too many requests, or a reply that cannot be read.
 */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { StripeError, StripeConnectionError, StripeRateLimitError, StripeAPIError } = Stripe.errors
  const isOurFault =
    error instanceof StripeError &&
    !(error instanceof StripeRateLimitError || error instanceof StripeAPIError) &&
    isRefusal(error.statusCode)
  if (isOurFault) return internalError(error)
  // The library says only that there was trouble with the connection; what it was stands in the detail.
  const cause = error instanceof StripeConnectionError && error.detail instanceof Error ? error.detail : error
  return new ApiError('billing_provider_unavailable', 'The payment provider does not answer; try again in a moment.', {
    retryAfterSeconds,
    cause,
  })
}

export function internalError(cause: unknown): ApiError {
  return new ApiError('internal_error', 'Something went wrong on our side; it has been recorded.', { cause })
}

// 409: another request with the same idempotency key, or on the same object, is at work.
function isRefusal(statusCode: number | undefined): boolean {
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 && statusCode !== 409 && statusCode !== 429
}

/** Whether Stripe knows no object by an id that it was asked with. */
export function isMissingObject(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing'
}

/** Whether the customer that was named is not there: deleted, or one of another account with Stripe. */
export function isMissingCustomer(error: unknown): boolean {
  return isMissingObject(error) && (error as Stripe.errors.StripeError).param === 'customer'
}

/** Whether Stripe cannot do what it was asked, as things stand; for a parameter's sake, where one is given. */
export function isInvalidRequest(error: unknown, param?: string): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && (param === undefined || error.param === param)
}

/** Whether an idempotency key was taken by a request with other parameters. */
export function isIdempotencyConflict(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError
}

const maxKeys = 5

/**
 * Does under an idempotency key what must happen once. Stripe also keeps failures of its own under a key, for a day: when
 * one is played back the next key is taken, and all who come later take the same ones.
 */
export async function withIdempotencyKey<T>(
  key: string,
  work: (options: { idempotencyKey: string }) => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await work({ idempotencyKey: `${key}-${number}` })
    } catch (error) {
      if (number >= maxKeys || !isKeptFailure(error)) throw error
    }
  }
}

function isKeptFailure(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false
  return (error.statusCode ?? 0) >= 500 && error.headers?.['idempotent-replayed'] === 'true'
}

// Nothing changes before a person sets it up.
const setupRetryAfterSeconds = 60

/** What the configuration says of Stripe. */
interface StripeSettings {
  secretKey: string | null
  webhookSecrets: readonly string[]
  apiBase: string | null
}

/** How Stripe is reached by what the operator gave; nothing can be asked of it without a key. */
export function accessFromSettings({
  secretKey,
  webhookSecrets,
  apiBase,
}: StripeSettings): () => Promise<StripeAccess> {
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
