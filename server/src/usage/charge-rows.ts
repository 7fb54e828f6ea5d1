import { leftWithinBudget, noBudgets } from '../auth/budgets.ts'
import type { CallerContext } from '../auth/caller.ts'
import type { Client } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import { type Balance, findSearchRowsRefusal, remaining, runChargeWithRetries } from './charge.ts'
import * as queries from './charge-queries.ts'
import { rowsBudgetRefusal, rowsRefusal } from './charge-refusals.ts'
import { spendRows } from './charge-rows-queries.ts'
import { isViewingExceeded } from './viewing/view-queries.ts'
import { findViewingRefusal } from './viewing/viewing-limit.ts'

/**
 * Charges a search row for each store or person that the transaction names to the caller, for the first time. Call it last:
 * the counters that it locks are those of every request of the account. All or nothing: a refusal aborts the transaction, so
 * what is lacking is found outside, by `runRowsWithRetries`.
 */
export async function chargeRows(client: Client, ctx: CallerContext, rows: number): Promise<Balance> {
  const { entitlement, accountId, mode, key } = ctx.caller
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
    viewedPage: null,
  }
  const taken = await spendRows(client, charge, rows).catch((cause) => {
    const isRefused = queries.isAllowanceExceeded(cause) || isViewingExceeded(cause)
    throw isRefused ? new RowsRefused(charge, rows, { cause }) : cause
  })
  const left = remaining(limits.search_rows, taken.rows_taken)
  return { search_rows: leftWithinBudget(left, (key?.budgets ?? noBudgets).search_rows, taken.key_rows_taken) }
}

/** Carries the charge out of the transaction that it aborted. */
class RowsRefused extends Error {
  readonly charge: queries.DeliveryCharge
  readonly rows: number

  constructor(charge: queries.DeliveryCharge, rows: number, options: ErrorOptions) {
    super('search rows would exceed an allowance', options)
    this.charge = charge
    this.rows = rows
  }
}

/** Runs `work`, which charges rows. A refused charge is retried if it fits by now, and otherwise throws what it lacks. */
export function runRowsWithRetries<T>(ctx: CallerContext, work: () => Promise<T>): Promise<T> {
  return runChargeWithRetries(work, (error) => {
    if (!(error instanceof RowsRefused)) throw error
    return findRefusal(ctx, error)
  })
}

/**
 * Refuses a request, before it searches, if it may take more rows than are left of the account, of the key's budget, or of
 * the person's hour: otherwise refused requests would tell, free of charge, how much matches.
 */
export async function requireRows(ctx: CallerContext, max: number): Promise<void> {
  const refusal = findSearchRowsRefusal(ctx, max) ?? (await findViewingRefusal(ctx, max))
  if (refusal) throw adviseMax(refusal)
}

/** What a charge lacks now; null if it fits. What the account lacks comes first: a higher budget would not help. */
async function findRefusal(ctx: CallerContext, { charge, rows }: RowsRefused): Promise<ApiError | null> {
  const creditsPeriodStart = ctx.caller.entitlement.creditsPeriod.start
  const asked = { ...charge, creditsPeriodStart, storeIds: [], contactIds: [] }
  const { rows_taken, key_rows_taken: taken } = await queries.readMeterBalances(ctx.db, asked)
  const left = remaining(charge.searchRowsAllowance, rows_taken)
  if (rows > left) return adviseMax(rowsRefusal(ctx, left))
  const budget = charge.budgets.search_rows
  if (budget !== null && rows > remaining(budget, taken)) return adviseMax(rowsBudgetRefusal(ctx, { budget, taken }))
  return findViewingRefusal(ctx, rows)
}

/** The refusals of a search advise a smaller `limit`; here the parameter is `max`. */
function adviseMax({ code, message, param, retryAfterSeconds, cause }: ApiError): ApiError {
  const details = { ...(param && { param }), ...(retryAfterSeconds && { retryAfterSeconds }), cause }
  return new ApiError(code, message.replace('ask for limit ', 'ask for max '), details)
}
