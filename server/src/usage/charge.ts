import type { Meter } from '../accounts/plans.ts'
import { leftWithinBudget, noBudgets } from '../auth/budgets.ts'
import type { CallerContext } from '../auth/caller.ts'
import { retryConflicts } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import * as queries from './charge-queries.ts'
import { exportsBudgetRefusal, exportsRefusal, rowsBudgetRefusal, rowsRefusal } from './charge-refusals.ts'
import { isViewingExceeded } from './viewing/view-queries.ts'
import { findViewingRefusal } from './viewing/viewing-limit.ts'

export interface Delivery<Delivered extends queries.MetersTaken> {
  /** The page on which a person only looks at the rows, which uses up no store exports; null for a delivery that takes. */
  viewedPage: Buffer | null
  /** The limit of a search, which has to fit into the search rows left; 0 for others. */
  rowsAsked?: number
  /**
   * Delivers together with other requests, and admits the request in the same statement, if its admission is pending. Null
   * if that was refused: nothing was done then.
   */
  deliverShared?(): Promise<Delivered | null>
  /** Runs the statement that fetches and charges (`deliverySql`, for a view `viewSql`). */
  deliver(charge: queries.DeliveryCharge): Promise<Delivered>
  /** The whole cost, if everything still exists; called only to find what a refused delivery lacks. */
  estimateCost(): Promise<{ storeIds: readonly number[]; searchRows: number }>
}

/** What the caller can still spend of each charged meter: what the account has left, at most what the key's budget has left. */
export type Balance = Partial<Record<Meter, number>>

/**
 * Fetches a delivery and charges for it before it is sent: an export per store and period, and search rows; a view costs
 * search rows only. All or nothing: a delivery that exceeds a balance is refused with 429 and changes nothing.
 */
export async function deliverAndCharge<Delivered extends queries.MetersTaken>(
  ctx: CallerContext,
  { viewedPage, rowsAsked = 0, deliverShared, deliver, estimateCost }: Delivery<Delivered>,
): Promise<{ delivered: Delivered; balance: Balance }> {
  if (ctx.admission?.isPending) {
    const shared = await deliverShared?.()
    if (shared) return { delivered: shared, balance: balanceAfter(ctx, shared) }
    await ctx.admission.settle()
    if (rowsAsked > 0) requireSearchRows(ctx, rowsAsked)
  }
  const { entitlement, accountId, mode } = ctx.caller
  const { limits, period } = entitlement
  const charge: queries.DeliveryCharge = {
    accountId,
    mode,
    now: ctx.now,
    requestId: ctx.requestId,
    ...queries.spenderOf(ctx.caller),
    ...queries.keyAccountOf(ctx.caller),
    periodStart: period.start,
    storeExportsAllowance: limits.store_exports,
    searchRowsAllowance: limits.search_rows,
    viewedPage,
  }
  const delivered = await runChargeWithRetries(
    () => retryConflicts(() => deliver(charge)),
    async (error) => {
      if (queries.isAllowanceExceeded(error)) return findRefusal(ctx, charge, await estimateCost())
      if (isViewingExceeded(error)) return findViewingRefusal(ctx, (await estimateCost()).searchRows)
      throw error
    },
  )
  return { delivered, balance: balanceAfter(ctx, delivered) }
}

function balanceAfter({ caller: { entitlement, key } }: CallerContext, taken: queries.MetersTaken): Balance {
  const { limits } = entitlement
  const { search_rows, store_exports } = key?.budgets ?? noBudgets
  return {
    search_rows: leftWithinBudget(remaining(limits.search_rows, taken.rows_taken), search_rows, taken.key_rows_taken),
    store_exports: leftWithinBudget(
      remaining(limits.store_exports, taken.exports_taken),
      store_exports,
      taken.key_exports_taken,
    ),
  }
}

/** Refuses a search, before it runs, if its limit exceeds the search rows left of the account or of the key's budget. */
export function requireSearchRows(ctx: CallerContext, limit: number): void {
  const refusal = findSearchRowsRefusal(ctx, limit)
  if (refusal) throw refusal
}

/** The same as a refusal to be thrown; null if they suffice. */
export function findSearchRowsRefusal(ctx: CallerContext, limit: number): ApiError | null {
  const { limits } = ctx.caller.entitlement
  const rowsLeft = remaining(limits.search_rows, ctx.caller.searchRowsUsed)
  if (limit > rowsLeft) return rowsRefusal(ctx, rowsLeft)
  const { key } = ctx.caller
  return key && findRowsBudgetRefusal(ctx, limit, key.budgets.search_rows, key.searchRowsUsed)
}

function findRowsBudgetRefusal(ctx: CallerContext, wanted: number, budget: number | null, taken: number) {
  return budget !== null && wanted > remaining(budget, taken) ? rowsBudgetRefusal(ctx, { budget, taken }) : null
}

/** What a delivery lacks now; null if it fits. What the account lacks comes first: a higher budget would not help. */
async function findRefusal(
  ctx: CallerContext,
  charge: queries.DeliveryCharge,
  { storeIds, searchRows }: Awaited<ReturnType<Delivery<never>['estimateCost']>>,
): Promise<ApiError | null> {
  const balances = await queries.readMeterBalances(ctx.db, {
    ...charge,
    creditsPeriodStart: ctx.caller.entitlement.creditsPeriod.start,
    storeIds: [...new Set(storeIds)],
    contactIds: [],
  })
  const rowsLeft = remaining(charge.searchRowsAllowance, balances.rows_taken)
  if (searchRows > rowsLeft) return rowsRefusal(ctx, rowsLeft)
  if (charge.viewedPage !== null) return null
  const exportsLeft = remaining(charge.storeExportsAllowance, balances.exports_taken)
  if (balances.new_stores > exportsLeft) return exportsRefusal(ctx, exportsLeft)
  const { budgets } = charge
  return (
    findRowsBudgetRefusal(ctx, searchRows, budgets.search_rows, balances.key_rows_taken) ??
    findExportsBudgetRefusal(ctx, budgets.store_exports, balances)
  )
}

/** What a key lacks to take new stores; null if its budget covers them. */
export function findExportsBudgetRefusal(
  ctx: CallerContext,
  budget: number | null,
  { new_stores, key_exports_taken: taken }: queries.MeterBalancesRow,
): ApiError | null {
  return budget !== null && new_stores > remaining(budget, taken) ? exportsBudgetRefusal(ctx, { budget, taken }) : null
}

/** Never negative: an allowance can be lowered below what is already used. */
export function remaining(allowance: number, taken: number): number {
  return Math.max(0, allowance - taken)
}

const maxAttempts = 25

/**
 * Runs `work`, which charges. If it fails, `findRefusal` reads the balances: it rethrows other errors, returns the refusal, or
 * returns null if the charge would fit now. That happens when another request paid for some of the same contacts or stores
 * in between, so `work` is retried, each time with less to pay.
 */
export async function runChargeWithRetries<T>(
  work: () => Promise<T>,
  findRefusal: (error: unknown) => Promise<ApiError | null>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const refusal = await findRefusal(error)
      if (refusal) throw refusal
      if (attempt >= maxAttempts)
        throw new ApiError('service_unavailable', 'The service is busy; try again in a moment.', { cause: error })
    }
  }
}
