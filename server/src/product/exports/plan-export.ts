import { Refusal } from '../../foundation/kernel/errors.ts'
import type { SearchEngine } from '../../search/engines/engine.ts'
import { type CheckedExportQuery, type ExportQueryContext, readExportQuery } from './export-query.ts'
import { createExportFormat } from './format/export-format.ts'
import type { ExportRequest } from './schema.ts'
import { computeCost, type ExportCost } from './walk/cost.ts'
import { openWalk } from './walk/walk.ts'

export interface PlanContext extends ExportQueryContext {
  search: SearchEngine
}

/** A caller waits for it, and its statements have a deadline of their own. */
const longestPlanMs = 5_000

/**
 * What an export would deliver and cost now, within its `max_rows` and `max_credits`; changes nothing. Checks the request like
 * `createExport`. Throws `service_unavailable` if that takes too long.
 */
export async function planExport(ctx: PlanContext, request: ExportRequest): Promise<ExportCost> {
  createExportFormat({ format: 'csv', ...request })
  return planQuery(ctx, request, await readExportQuery(ctx, request))
}

/** The same for a request that was checked. */
export async function planQuery(
  ctx: PlanContext,
  { kind, max_rows, max_credits }: Pick<ExportRequest, 'kind' | 'max_rows' | 'max_credits'>,
  { query, members, exclusion }: CheckedExportQuery,
): Promise<ExportCost> {
  const { accountId, mode, entitlement } = ctx.caller
  const walk = await openWalk({ ...ctx, mode }, query, members ?? [], exclusion)
  const deadline = performance.now() + longestPlanMs
  const account = { accountId, mode, periodStart: entitlement.period.start }
  const bounds = {
    rows: max_rows,
    credits: max_credits ?? Number.POSITIVE_INFINITY,
    storeExports: Number.POSITIVE_INFINITY,
  }
  const { rows: _rows, ...cost } = await computeCost({ ...ctx, account }, kind, walk, { after: null, bounds }, () => {
    if (performance.now() > deadline)
      throw new Refusal(
        'service_unavailable',
        'Counting what this export would cost takes too long; lower max_rows or narrow it.',
      )
  })
  return cost
}
