import type { Meter } from '../accounts/plans.ts'
import type { CallerContext } from '../auth/caller.ts'
import { retryConflicts } from '../db/pool.ts'
import type { ApiError } from '../kernel/errors.ts'
import { chargeOrRefuse } from './charge-attempts.ts'
import * as queries from './charge-queries.ts'
import { exportsRefusal, rowsRefusal } from './charge-refusals.ts'

/** What a reply is about to hand over. */
export interface Delivery {
  storeIds: readonly number[]
  /** Rows that count against the search-row quota; 0 for everything but the two searches. */
  searchRows: number
  /** Contacts that are shown; none for a delivery of stores alone. */
  contactIds?: readonly number[]
}

/** What is left of each meter that a reply was paid from. */
export type Balance = Partial<Record<Meter, number>>

export interface PaidDelivery {
  balance: Balance
  /** Those of the contacts shown that the account has revealed. */
  revealed: ReadonlySet<number>
}

/**
 * Pays for a delivery before it is sent: each store once per account, mode and period, and the rows of a search. All or
 * nothing; a delivery that does not fit into what is left is refused whole with 429 and leaves no trace.
 */
export async function payForDelivery(ctx: CallerContext, delivery: Delivery): Promise<PaidDelivery> {
  const { entitlement, accountId, mode } = ctx.caller
  const { limits, period } = entitlement
  const charge: queries.DeliveryCharge = {
    accountId,
    mode,
    periodStart: period.start,
    now: ctx.now,
    requestId: ctx.requestId,
    storeIds: ascending(delivery.storeIds),
    contactIds: [...(delivery.contactIds ?? [])],
    searchRows: delivery.searchRows,
    searchRowsAllowance: limits.search_rows,
    storeExportsAllowance: limits.store_exports,
  }
  const charged = await chargeOrRefuse(
    () => retryConflicts(() => queries.chargeDelivery(ctx.db, charge)),
    (error) => {
      if (!queries.isAllowanceExceeded(error)) throw error
      return explainRefusal(ctx, charge)
    },
  )
  return {
    balance: Object.fromEntries(charged.balances.map(({ meter, taken }) => [meter, left(limits[meter], taken)])),
    revealed: new Set(charged.revealed),
  }
}

/** Refuses a search whose limit does not fit into the rows that are left, before it runs. */
export function requireSearchRows(ctx: CallerContext, limit: number): void {
  const { limits } = ctx.caller.entitlement
  const rowsLeft = left(limits.search_rows, ctx.caller.searchRowsUsed)
  if (limit > rowsLeft) throw rowsRefusal(ctx, rowsLeft)
}

/** What a delivery lacks as things stand now; null when it fits. */
async function explainRefusal(ctx: CallerContext, charge: queries.DeliveryCharge): Promise<ApiError | null> {
  const { creditsPeriod } = ctx.caller.entitlement
  const question = { ...charge, creditsPeriodStart: creditsPeriod.start, contactIds: [] }
  const standing = await queries.readStanding(ctx.db, question)
  const rowsLeft = left(charge.searchRowsAllowance, standing.rows_taken)
  if (charge.searchRows > rowsLeft) return rowsRefusal(ctx, rowsLeft)
  const exportsLeft = left(charge.storeExportsAllowance, standing.exports_taken)
  return standing.new_stores > exportsLeft ? exportsRefusal(ctx, standing.new_stores, exportsLeft) : null
}

/** Never below zero: an allowance may have been lowered beneath what was taken already. */
export function left(allowance: number, taken: number): number {
  return Math.max(0, allowance - taken)
}

/** Each id once, in the order in which every request locks them. */
export function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b)
}
