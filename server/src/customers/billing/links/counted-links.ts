import { withTimeout } from '@storedex/work'
import { type Pool, transact } from '../../../foundation/db/pool.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import { type Clock, formatNumber } from '../../../foundation/kernel/time.ts'
import {
  type BillingWindowRow,
  claimInBillingWindow,
  selectBillingWindow,
  settleBillingClaim,
} from '../../admission/billing-window-queries.ts'
import type { ActorContext } from '../../auth/actor.ts'
import { recordAudit } from '../../auth/audit.ts'
import { type RateWindow, rateLimitError, rateWindowAt } from '../../auth/rate-limits.ts'
import { type BillingContext, type BillingLinkPurpose, billingPagePaths } from '../context.ts'
import type { ProviderLink } from '../provider.ts'
import type { BillingLink } from '../schema.ts'

// Longer than creating a link may take: only claims left by a crash expire.
const claimLifetimeMs = 15_000
const retryAfterSeconds = 5

/** The hourly limit that a link counts against. */
interface LinkQuota {
  accountId: number
  mode: Mode
  limit: number
}

/** Creates a link that counts against the caller's hourly limit, and reports the window in the reply's headers. */
export function createCallerLink(
  ctx: BillingContext,
  purpose: BillingLinkPurpose,
  create: () => Promise<ProviderLink>,
): Promise<ProviderLink> {
  const { accountId, mode, rate, entitlement } = ctx.caller
  const hour = { accountId, mode, limit: entitlement.limits.billing_links_per_hour }
  return createCountedLink(ctx, hour, purpose, create, (window) => {
    rate.billing_links = window
  })
}

interface LinkContext extends ActorContext {
  db: Pool
  clock: Clock
}

/**
 * Creates a link that counts against an account's hourly limit. It claims a slot first, so that concurrent calls stay
 * within the limit, and releases it if no link was created; after a crash the claim expires. Calls `onHour` with the
 * resulting window.
 */
export async function createCountedLink(
  ctx: LinkContext,
  { accountId, mode, limit }: LinkQuota,
  purpose: BillingLinkPurpose,
  create: () => Promise<ProviderLink>,
  onWindow: (window: RateWindow) => void = () => {},
): Promise<ProviderLink> {
  const { db, clock, now } = ctx
  const windowOf = (hour: BillingWindowRow | undefined) =>
    rateWindowAt('billing_links', { startedAt: hour?.started_at, used: hour?.used }, limit, now)
  const claimedAt = clock.now()
  const claim = {
    accountId,
    mode,
    kind: 'billing_links',
    until: new Date(claimedAt.getTime() + claimLifetimeMs),
  } as const
  if (!(await claimInBillingWindow(db, claim, { now, claimedAt, limit }))) {
    const window = windowOf(await selectBillingWindow(db, claim))
    onWindow(window)
    throw linkLimitError(window, limit, now)
  }
  let link: ProviderLink
  try {
    link = await create()
  } catch (error) {
    // Report why there is no link, not that the claim could not be released.
    await settleBillingClaim(db, claim, false).catch(() => {})
    throw error
  }
  const { kind, target } = purpose
  const hour = await transact(db, async (client) => {
    const settled = await settleBillingClaim(client, claim, true)
    if (!settled) throw claimExpired()
    const details = { kind, plan: target?.plan ?? null, billing: target?.billing ?? null }
    await recordAudit(client, ctx, { accountId, action: 'billing_link.created', details })
    return settled
  })
  onWindow(windowOf(hour))
  return link
}

/** The limit was reached after this call was admitted, by links that exist or are being created. */
function linkLimitError(hour: RateWindow, limit: number, now: Date): Refusal {
  if (hour.used >= limit) return rateLimitError('billing_links', hour, now)
  return new Refusal(
    'rate_limit_exceeded',
    `All ${formatNumber(limit)} billing links of this hour are used or being created; try again in ${retryAfterSeconds} seconds.`,
    { param: 'billing_links', retryAfterSeconds },
  )
}

function claimExpired(): Refusal {
  return new Refusal('billing_provider_unavailable', 'Creating the link took too long; try again in a moment.', {
    retryAfterSeconds,
    cause: new Error(`a billing link took longer than ${claimLifetimeMs} ms, and its claim expired`),
  })
}

/** Creates the link of a test key, to a page that explains test mode; the provider is not called. */
export function createTestLink(ctx: BillingContext, purpose: BillingLinkPurpose): Promise<ProviderLink> {
  return createCallerLink(ctx, purpose, async () => ({ url: ctx.publicUrl + billingPagePaths.test, expiresAt: null }))
}

export function linkReply(
  { requestId }: BillingContext,
  { url, expiresAt }: ProviderLink,
  { kind, target }: BillingLinkPurpose,
): BillingLink {
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

// The bound on one call, however many requests to the provider it makes.
const defaultTotalMs = 5_000
const deadlineRetryAfterSeconds = 5

/** Awaits work, for at most the time that is left. */
export type TimeBudget = <T>(work: Promise<T>) => Promise<T>

/** Starts a time shared by several calls. Later it throws `billing_provider_unavailable`; the work goes on unobserved. */
export function startTimeBudget(totalMs = defaultTotalMs): TimeBudget {
  const endsAtMs = performance.now() + totalMs
  return (work) =>
    withTimeout(work, Math.max(0, endsAtMs - performance.now()), () => {
      throw budgetExceeded(totalMs)
    })
}

function budgetExceeded(totalMs: number): Refusal {
  return new Refusal('billing_provider_unavailable', 'The payment provider is slow; try again in a moment.', {
    retryAfterSeconds: deadlineRetryAfterSeconds,
    cause: new Error(`a billing link took longer than ${totalMs} ms`),
  })
}

/** There is no customer for the account, or the provider no longer knows it. */
export function billingAccountNotFound(cause?: unknown): Refusal {
  return new Refusal(
    'billing_account_not_found',
    'The payment provider does not know this account yet; call POST /api/v1/billing/subscription-link first.',
    { cause },
  )
}
