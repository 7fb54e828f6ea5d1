import type { CallerContext } from '../auth/caller.ts'
import { retryConflicts } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import { figure, isoDay } from '../kernel/format.ts'
import * as queries from './charge-queries.ts'

/** What a reply is about to hand over. */
export interface Delivery {
  storeIds: readonly number[]
  /** Rows that count against the search-row quota; 0 for everything but the two searches. */
  searchRows: number
  /** Contacts that are shown; none for a delivery of stores alone. */
  contactIds?: readonly number[]
}

/** What is left of the spent meters after a delivery. */
export interface DeliveryBalance {
  searchRowsRemaining: number
  storeExportsRemaining: number
}

export interface PaidDelivery {
  balance: DeliveryBalance
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
    storeIds: [...new Set(delivery.storeIds)].sort((a, b) => a - b),
    contactIds: [...(delivery.contactIds ?? [])],
    searchRows: delivery.searchRows,
    searchRowsAllowance: limits.search_rows,
    storeExportsAllowance: limits.store_exports,
  }
  let charged: queries.ChargedDelivery
  try {
    charged = await retryConflicts(() => queries.chargeDelivery(ctx.db, charge))
  } catch (error) {
    if (!queries.isAllowanceExceeded(error)) throw error
    throw explainRefusal(ctx, charge, await queries.readStanding(ctx.db, charge))
  }
  const taken = Object.fromEntries(charged.balances.map((balance) => [balance.meter, balance.taken]))
  return {
    balance: {
      searchRowsRemaining: Math.max(0, limits.search_rows - (taken.search_rows ?? 0)),
      storeExportsRemaining: Math.max(0, limits.store_exports - (taken.store_exports ?? 0)),
    },
    revealed: new Set(charged.revealed),
  }
}

/** Refuses a search whose limit does not fit into the rows that are left, before it runs. */
export function requireSearchRows(ctx: CallerContext, limit: number): void {
  const { limits } = ctx.caller.entitlement
  const left = Math.max(0, limits.search_rows - ctx.caller.searchRowsUsed)
  if (limit > left) throw rowsRefusal(ctx, left)
}

function explainRefusal(ctx: CallerContext, charge: queries.DeliveryCharge, standing: queries.StandingRow): ApiError {
  const rowsLeft = Math.max(0, charge.searchRowsAllowance - standing.rows_taken)
  if (charge.searchRows > rowsLeft) return rowsRefusal(ctx, rowsLeft)
  const exportsLeft = Math.max(0, charge.storeExportsAllowance - standing.exports_taken)
  const { end } = ctx.caller.entitlement.period
  return quotaRefusal(
    ctx,
    'store_exports',
    `${count(standing.new_stores, 'store')} of this reply would be new this period, but ${figure(exportsLeft)} of ${figure(charge.storeExportsAllowance)} store exports are left until ${isoDay(end)}.`,
  )
}

function rowsRefusal(ctx: CallerContext, left: number): ApiError {
  const { limits, period } = ctx.caller.entitlement
  const advice = left > 0 ? `; ask for limit ${figure(left)} or less` : ''
  return quotaRefusal(
    ctx,
    'search_rows',
    `${figure(left)} of ${figure(limits.search_rows)} search rows are left until ${isoDay(period.end)}${advice}.`,
  )
}

function quotaRefusal(ctx: CallerContext, param: 'search_rows' | 'store_exports', message: string): ApiError {
  const untilEndMs = ctx.caller.entitlement.period.end.getTime() - ctx.now.getTime()
  return new ApiError('rate_limit_exceeded', message, {
    param,
    retryAfterSeconds: Math.max(1, Math.ceil(untilEndMs / 1000)),
  })
}

const count = (value: number, noun: string) => `${figure(value)} ${noun}${value === 1 ? '' : 's'}`
