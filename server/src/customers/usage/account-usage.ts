import { type Static, Type } from 'typebox'
import type { Mode } from '../../foundation/kernel/ids.ts'
import { ClosedObject, Count, OneOf, RequestId } from '../../foundation/kernel/shapes.ts'
import { type Access, authorize } from '../auth/access.ts'
import type { CallerContext } from '../auth/caller.ts'
import type { AccountUsageQuery } from './parameters.ts'
import { readUsage, type Usage } from './read-usage.ts'
import { reportPlan, UsagePlan, usageFigures } from './schema.ts'

const alertedMeters = ['contact_credits', 'store_exports', 'search_rows', 'api_requests'] as const

const KeptExports = ClosedObject({
  files: Count('Files of exports that are kept, those being written included.'),
  files_limit: Count('The most files that are kept.'),
  bytes: Count('Their bytes.'),
  bytes_limit: Count('From so many bytes on no other export begins.'),
})
export type KeptExports = Static<typeof KeptExports>

/** Usage stays visible without access: a lapsed account has to see what it spent. */
export const readingUsage = {
  key: { scope: 'usage:read' },
  member: { role: 'viewer' },
  kind: 'read',
} as const satisfies Access

interface UsageServices {
  /** What an account keeps of its exports, which are counted elsewhere. */
  readKeptExports(ctx: CallerContext, mode: Mode): Promise<KeptExports>
}

export const AccountUsage = ClosedObject({
  object: Type.Literal('usage'),
  mode: Type.Union([Type.Literal('live'), Type.Literal('test')]),
  plan: UsagePlan,
  ...usageFigures,
  alerts: Type.Array(
    ClosedObject({
      meter: OneOf(alertedMeters),
      level: Type.Union([Type.Literal(80), Type.Literal(100)], { description: 'Percent of the limit reached.' }),
    }),
    { maxItems: alertedMeters.length, description: 'The meters of which 80 percent or everything is used.' },
  ),
  kept_exports: KeptExports,
  request_id: RequestId,
})
type AccountUsage = Static<typeof AccountUsage>

/** The usage of an account in one mode, with the meters that need attention. */
export async function readAccountUsage(
  ctx: CallerContext & UsageServices,
  { mode = 'live' }: AccountUsageQuery,
): Promise<AccountUsage> {
  authorize(ctx, readingUsage)
  const { accountId, entitlement } = ctx.caller
  const usage = await readUsage(ctx.db, { accountId, mode, entitlement, now: ctx.now })
  return {
    object: 'usage',
    mode,
    plan: reportPlan(entitlement),
    ...usage,
    alerts: alertsOf(usage),
    kept_exports: await ctx.readKeptExports(ctx, mode),
    request_id: ctx.requestId,
  }
}

function alertsOf({ contact_credits, ...meters }: Usage): AccountUsage['alerts'] {
  const figures = { ...meters, contact_credits: { ...contact_credits, limit: contact_credits.total } }
  return alertedMeters.flatMap((meter) => {
    const { limit, remaining } = figures[meter]
    // A plan without the meter has nothing to run out of.
    if (limit === 0 || remaining > limit * 0.2) return []
    return [{ meter, level: remaining === 0 ? (100 as const) : (80 as const) }]
  })
}
