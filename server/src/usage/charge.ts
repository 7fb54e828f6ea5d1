import type { Meter } from '../accounts/plans.ts'
import type { CallerContext } from '../auth/caller.ts'
import { retryConflicts } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import * as queries from './charge-queries.ts'
import { exportsRefusal, rowsRefusal } from './charge-refusals.ts'

/** What a reply is about to hand over. */
export interface Delivery<Delivered extends queries.MetersTaken> {
  /** The one statement that fetches and charges (`deliverySql`). */
  deliver(charge: queries.DeliveryCharge): Promise<Delivered>
  /** What it comes to when all of it is still there; asked only to tell what a refused delivery lacked. */
  describe(): Promise<{ storeIds: readonly number[]; searchRows: number }>
}

/** What is left of each meter that a reply was paid from. */
export type Balance = Partial<Record<Meter, number>>

/**
 * Fetches a delivery and pays for it before it is sent: each store once per account, mode and period, and the rows of a
 * search. All or nothing; a delivery that does not fit into what is left is refused whole with 429 and leaves no trace.
 */
export async function deliverAndCharge<Delivered extends queries.MetersTaken>(
  ctx: CallerContext,
  { deliver, describe }: Delivery<Delivered>,
): Promise<{ delivered: Delivered; balance: Balance }> {
  const { entitlement, accountId, mode } = ctx.caller
  const { limits, period } = entitlement
  const charge: queries.DeliveryCharge = {
    accountId,
    mode,
    now: ctx.now,
    requestId: ctx.requestId,
    periodStart: period.start,
    storeExportsAllowance: limits.store_exports,
    searchRowsAllowance: limits.search_rows,
  }
  const delivered = await runChargeWithRetries(
    () => retryConflicts(() => deliver(charge)),
    async (error) => {
      if (!queries.isAllowanceExceeded(error)) throw error
      return explainRefusal(ctx, charge, await describe())
    },
  )
  const { rows_taken, exports_taken } = delivered
  return {
    delivered,
    balance: {
      search_rows: left(limits.search_rows, rows_taken),
      store_exports: left(limits.store_exports, exports_taken),
    },
  }
}

/** Refuses a search whose limit does not fit into the rows that are left, before it runs. */
export function requireSearchRows(ctx: CallerContext, limit: number): void {
  const { limits } = ctx.caller.entitlement
  const rowsLeft = left(limits.search_rows, ctx.caller.searchRowsUsed)
  if (limit > rowsLeft) throw rowsRefusal(ctx, rowsLeft)
}

/** What a delivery lacks as things stand now; null when it fits. */
async function explainRefusal(
  ctx: CallerContext,
  charge: queries.DeliveryCharge,
  { storeIds, searchRows }: Awaited<ReturnType<Delivery<never>['describe']>>,
): Promise<ApiError | null> {
  const standing = await queries.readMeterBalances(ctx.db, {
    ...charge,
    creditsPeriodStart: ctx.caller.entitlement.creditsPeriod.start,
    storeIds: [...new Set(storeIds)],
    contactIds: [],
  })
  const rowsLeft = left(charge.searchRowsAllowance, standing.rows_taken)
  if (searchRows > rowsLeft) return rowsRefusal(ctx, rowsLeft)
  const exportsLeft = left(charge.storeExportsAllowance, standing.exports_taken)
  return standing.new_stores > exportsLeft ? exportsRefusal(ctx, exportsLeft) : null
}

/** Never below zero: an allowance may have been lowered beneath what was taken already. */
export function left(allowance: number, taken: number): number {
  return Math.max(0, allowance - taken)
}

const maxAttempts = 25

/**
 * Does `work` that charges. When it fails, `explain` looks at the figures: it throws what is no refusal, and answers with the
 * refusal, or with null when the charge would fit by now. That happens when others paid for some of the same contacts or
 * stores between the refusal and the look; so it is tried again, each time with less to pay.
 */
export async function runChargeWithRetries<T>(
  work: () => Promise<T>,
  explain: (error: unknown) => Promise<ApiError | null>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const refusal = await explain(error)
      if (refusal) throw refusal
      if (attempt >= maxAttempts)
        throw new ApiError('service_unavailable', 'The service is busy; try again in a moment.', { cause: error })
    }
  }
}
