import {
  type BillingWindowRow,
  claimInBillingWindow,
  selectBillingWindow,
  settleBillingClaim,
} from '../../auth/billing-window-queries.ts'
import { type RateWindow, rateLimitError, rateWindowAt } from '../../auth/rate-limits.ts'
import type { Queryable } from '../../db/pool.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/ids.ts'
import { type Clock, formatNumber } from '../../kernel/time.ts'
import type { ProviderLink } from '../provider.ts'
import type { BillingLinkKind, BillingLinkReply } from '../schema.ts'
import type { BillingContext } from '../sync/sync-account.ts'
import type { Offer } from './decide-link.ts'

/** Our own pages: where the provider's lead back to, and where links of the sandbox lead. */
export const billingPagePaths = {
  done: '/billing/done',
  canceled: '/billing/canceled',
  test: '/billing/test',
} as const

// Longer than the making of a link may take, so that only what became of a crash ends by itself.
const claimMs = 15_000
const retryAfterSeconds = 5

/** Whose hour a link counts to. */
interface LinkHour {
  accountId: number
  mode: Mode
  limit: number
}

/** Makes a link that counts to the caller's hour, which the reply then tells. */
export function createCountedCallerLink(ctx: BillingContext, make: () => Promise<ProviderLink>): Promise<ProviderLink> {
  const { accountId, mode, rate, entitlement } = ctx.caller
  const hour = { accountId, mode, limit: entitlement.limits.billing_links_per_hour }
  return createCountedLink(ctx, hour, make, (window) => {
    rate.billing_links = window
  })
}

/**
 * Makes a link as one of an account's hour. It is claimed before, so that calls at once never make more than the limit,
 * and counts when it is there; a claim that nobody settles, for a crash, ends by itself. `onHour` learns how the hour
 * stands.
 */
export async function createCountedLink(
  { db, clock, now }: { db: Queryable; clock: Clock; now: Date },
  { accountId, mode, limit }: LinkHour,
  make: () => Promise<ProviderLink>,
  onHour: (window: RateWindow) => void = () => {},
): Promise<ProviderLink> {
  const windowOf = (hour: BillingWindowRow | undefined) =>
    rateWindowAt('billing_links', { startedAt: hour?.started_at, used: hour?.used }, limit, now)
  const claimedAt = clock.now()
  const claim = { accountId, mode, kind: 'billing_links', until: new Date(claimedAt.getTime() + claimMs) } as const
  if (!(await claimInBillingWindow(db, claim, { now, claimedAt, limit }))) {
    const window = windowOf(await selectBillingWindow(db, claim))
    onHour(window)
    throw hourRefusal(window, limit, now)
  }
  let link: ProviderLink
  try {
    link = await make()
  } catch (error) {
    // Why there is no link matters more than that its place could not be given back.
    await settleBillingClaim(db, claim, false).catch(() => {})
    throw error
  }
  const hour = await settleBillingClaim(db, claim, true)
  if (!hour) throw tookTooLong()
  onHour(windowOf(hour))
  return link
}

/** Others have taken the last places since this call was admitted: for good, or only to try. */
function hourRefusal(hour: RateWindow, limit: number, now: Date): ApiError {
  if (hour.used >= limit) return rateLimitError('billing_links', hour, now)
  return new ApiError(
    'rate_limit_exceeded',
    `All ${formatNumber(limit)} billing links of this hour are made or being made; try again in ${retryAfterSeconds} seconds.`,
    { param: 'billing_links', retryAfterSeconds },
  )
}

function tookTooLong(): ApiError {
  return new ApiError('billing_provider_unavailable', 'Making the link took too long; try again in a moment.', {
    retryAfterSeconds,
    cause: new Error(`a billing link took longer than ${claimMs} ms, and its place in the hour was given away`),
  })
}

/** In the sandbox nothing can be bought: the link leads to a page that says so, and nothing reaches the provider. */
export function createTestLink(ctx: BillingContext): Promise<ProviderLink> {
  return createCountedCallerLink(ctx, async () => ({ url: ctx.publicUrl + billingPagePaths.test, expiresAt: null }))
}

export function linkReply(
  { requestId }: BillingContext,
  { url, expiresAt }: ProviderLink,
  kind: BillingLinkKind,
  target: Offer | null,
): BillingLinkReply {
  return {
    object: 'billing_link',
    kind,
    url,
    target_plan: target?.plan ?? null,
    target_billing: target?.billing ?? null,
    expires_at: expiresAt?.toISOString() ?? null,
    requires_customer_confirmation: true,
    request_id: requestId,
  }
}

// A caller hears of a slow provider within this time, however many requests to it a link takes.
const defaultTotalMs = 5_000
const deadlineRetryAfterSeconds = 5

/** Awaits work for what is left of the time that all of it together has. */
export type TimeBudget = <T>(work: Promise<T>) => Promise<T>

/** The time begins now. Work that comes to an end later is not waited for, and its outcome not used. */
export function startTimeBudget(totalMs = defaultTotalMs): TimeBudget {
  const endsAtMs = performance.now() + totalMs
  return async (work) => {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooSlow(totalMs)), Math.max(0, endsAtMs - performance.now()))
    })
    try {
      return await Promise.race([work, timeout])
    } finally {
      clearTimeout(timer)
    }
  }
}

function tooSlow(totalMs: number): ApiError {
  return new ApiError('billing_provider_unavailable', 'The payment provider is slow; try again in a moment.', {
    retryAfterSeconds: deadlineRetryAfterSeconds,
    cause: new Error(`a billing link took longer than ${totalMs} ms`),
  })
}

/** The provider has no customer for the account: none was made, or it is gone. */
export function billingAccountNotFound(cause?: unknown): ApiError {
  return new ApiError(
    'billing_account_not_found',
    'The payment provider does not know this account yet; POST /api/v1/billing/subscription-link comes first.',
    { cause },
  )
}
