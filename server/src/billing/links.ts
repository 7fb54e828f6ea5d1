import { claimInHour, giveBackToHour } from '../auth/hour-queries.ts'
import { rateRefusal, windowAt } from '../auth/windows.ts'
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

/**
 * Makes a link as one of the account's hour. It is claimed before, so that calls at once never make more than the limit,
 * and given back when there is none after all; a crash in between costs the account one of that hour.
 */
export async function makeLink(ctx: BillingContext, make: () => Promise<ProviderLink>): Promise<ProviderLink> {
  const { accountId, mode, rate, entitlement } = ctx.caller
  const hour = { accountId, mode, kind: 'billing_links' as const }
  const limit = entitlement.limits.billing_links_per_hour
  const claimed = await claimInHour(ctx.db, { ...hour, now: ctx.now, limit })
  const windowOf = (row: typeof claimed) =>
    windowAt('billing_links', { startedAt: row?.started_at, used: row?.used }, limit, ctx.now)
  if (!claimed) {
    // Others have taken the last one since this call was admitted.
    const full = { ...(rate.billing_links ?? windowOf(undefined)), used: limit }
    rate.billing_links = full
    throw rateRefusal('billing_links', full, ctx.now)
  }
  rate.billing_links = windowOf(claimed)
  try {
    return await make()
  } catch (error) {
    rate.billing_links.used -= 1
    // Why there is no link matters more than that it could not be given back.
    await giveBackToHour(ctx.db, { ...hour, startedAt: claimed.started_at }).catch(() => {})
    throw error
  }
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
