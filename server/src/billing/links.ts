import { claimInHour, type HourRow, selectHour, settleClaim } from '../auth/hour-queries.ts'
import { rateRefusal, windowAt } from '../auth/windows.ts'
import { ApiError } from '../kernel/errors.ts'
import { figure } from '../kernel/format.ts'
import type { BillingContext } from './context.ts'
import type { Purchase } from './links-decision.ts'
import type { ProviderLink } from './provider.ts'
import type { BillingLinkReply, LinkKind } from './schema.ts'

/** Our own pages: where the provider's lead back to, and where links of the sandbox lead. */
export const pagePaths = {
  done: '/billing/done',
  canceled: '/billing/canceled',
  test: '/billing/test',
} as const

// Longer than the making of a link may take, so that only what became of a crash ends by itself.
const claimMs = 15_000
const retryAfterSeconds = 5

/**
 * Makes a link as one of the account's hour. It is claimed before, so that calls at once never make more than the limit,
 * and counts when it is there; a claim that nobody settles, for a crash, ends by itself.
 */
export async function makeLink(ctx: BillingContext, make: () => Promise<ProviderLink>): Promise<ProviderLink> {
  const { accountId, mode } = ctx.caller
  const claimedAt = ctx.clock.now()
  const claim = { accountId, mode, kind: 'billing_links', until: new Date(claimedAt.getTime() + claimMs) } as const
  const limit = ctx.caller.entitlement.limits.billing_links_per_hour
  if (!(await claimInHour(ctx.db, claim, { now: ctx.now, claimedAt, limit }))) {
    tellHour(ctx, await selectHour(ctx.db, claim), limit)
    throw hourRefusal(ctx, limit)
  }
  let link: ProviderLink
  try {
    link = await make()
  } catch (error) {
    // Why there is no link matters more than that its place could not be given back.
    await settleClaim(ctx.db, claim, false).catch(() => {})
    throw error
  }
  const hour = await settleClaim(ctx.db, claim, true)
  if (!hour) throw tookTooLong()
  tellHour(ctx, hour, limit)
  return link
}

/** What the reply tells of the hour. */
function tellHour({ caller: { rate }, now }: BillingContext, hour: HourRow | undefined, limit: number): void {
  rate.billing_links = windowAt('billing_links', { startedAt: hour?.started_at, used: hour?.used }, limit, now)
}

/** Others have taken the last places since this call was admitted: for good, or only to try. */
function hourRefusal({ caller: { rate }, now }: BillingContext, limit: number): ApiError {
  const hour = rate.billing_links!
  if (hour.used >= limit) return rateRefusal('billing_links', hour, now)
  return new ApiError(
    'rate_limit_exceeded',
    `All ${figure(limit)} billing links of this hour are made or being made; try again in ${retryAfterSeconds} seconds.`,
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
export function makeTestLink(ctx: BillingContext): Promise<ProviderLink> {
  return makeLink(ctx, async () => ({ url: ctx.publicUrl + pagePaths.test, expiresAt: null }))
}

export function linkReply(
  { requestId }: BillingContext,
  { url, expiresAt }: ProviderLink,
  kind: LinkKind,
  target: Purchase | null,
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
