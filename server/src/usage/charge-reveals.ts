import { leftWithinBudget, noBudgets } from '../auth/budgets.ts'
import type { Caller, CallerContext } from '../auth/caller.ts'
import type { Queryable } from '../db/pool.ts'
import type { ApiError } from '../kernel/errors.ts'
import { type Balance, findExportsBudgetRefusal, remaining, runChargeWithRetries } from './charge.ts'
import { isAllowanceExceeded, keyAccountOf, readMeterBalances, spenderOf } from './charge-queries.ts'
import { creditsBudgetRefusal, creditsRefusal, exportsRefusal, type TrialContext } from './charge-refusals.ts'
import * as queries from './charge-reveals-queries.ts'

/** What a reply is about to reveal; without repetitions. */
export interface RevealDelivery {
  contactIds: readonly number[]
  storeIds: readonly number[]
}

export interface PaidReveals {
  /** By contact id: when the account revealed it, and whether this request did. */
  reveals: ReadonlyMap<number, { revealedAt: Date; isNew: boolean }>
  /** Credits. */
  spent: number
  balance: Balance & { contact_credits: number }
}

/**
 * Charges a reveal before it is sent: a credit for each contact that is new to the account, and an export per store and
 * period. All or nothing. A refusal aborts the transaction that `db` may be, so the reason for it is found outside, by
 * `runRevealWithRetries`.
 */
export async function payForReveals(ctx: CallerContext, db: Queryable, delivery: RevealDelivery): Promise<PaidReveals> {
  const charge = chargeOf(ctx, delivery)
  const charged = await queries.chargeReveals(db, charge).catch((cause) => {
    throw isAllowanceExceeded(cause) ? new AllowanceExceeded(charge, { cause }) : cause
  })
  const fresh = charged.filter((row) => row.is_new)
  // A concurrent request may have revealed some of them. Its rows are visible now, because the charge waited for its commit.
  const isAllSeen = charged.every((row) => row.revealed_at !== null)
  const rows = isAllSeen ? charged : [...(await queries.readReveals(db, charge)), ...fresh]
  // If this request paid, its own rows have the balance; otherwise the balance is that of the later read.
  const [counted] = fresh.length > 0 ? fresh : rows
  return {
    reveals: new Map(rows.map((row) => [row.contact_id, { revealedAt: row.revealed_at!, isNew: row.is_new }])),
    spent: fresh.length,
    balance: revealBalance(ctx.caller, counted!),
  }
}

/** What is left for the caller: of the account, at most what is left of the key's budgets. */
export function revealBalance(
  { entitlement, key }: Pick<Caller, 'entitlement' | 'key'>,
  taken: queries.RevealMeters,
): PaidReveals['balance'] {
  const { contact_credits, store_exports } = entitlement.limits
  const budgets = key?.budgets ?? noBudgets
  return {
    contact_credits: leftWithinBudget(
      remaining(contact_credits, taken.credits_taken),
      budgets.contact_credits,
      taken.key_credits_taken,
    ),
    store_exports: leftWithinBudget(
      remaining(store_exports, taken.exports_taken),
      budgets.store_exports,
      taken.key_exports_taken,
    ),
  }
}

/** Carries the charge out of the transaction that it aborted. */
class AllowanceExceeded extends Error {
  readonly charge: queries.RevealCharge

  constructor(charge: queries.RevealCharge, options: ErrorOptions) {
    super('a meter would exceed its allowance', options)
    this.charge = charge
  }
}

/** Runs `work`, which charges reveals. A refused charge is retried if it fits by now, and otherwise throws what it lacks. */
export function runRevealWithRetries<T>(ctx: TrialContext, work: () => Promise<T>): Promise<T> {
  return runChargeWithRetries(work, (error) => {
    if (!(error instanceof AllowanceExceeded)) throw error
    return findRefusal(ctx, error.charge)
  })
}

/** What a reveal lacks now; null if it fits. What the account lacks comes first: a higher budget would not help. */
async function findRefusal(ctx: TrialContext, charge: queries.RevealCharge): Promise<ApiError | null> {
  const balances = await readMeterBalances(ctx.db, charge)
  const creditsLeft = remaining(charge.creditsAllowance, balances.credits_taken)
  if (balances.new_contacts > creditsLeft) return creditsRefusal(ctx, balances.new_contacts, creditsLeft)
  const exportsLeft = remaining(charge.storeExportsAllowance, balances.exports_taken)
  if (balances.new_stores > exportsLeft) return exportsRefusal(ctx, exportsLeft)
  const { contact_credits: budget, store_exports } = charge.budgets
  const taken = balances.key_credits_taken
  if (budget !== null && balances.new_contacts > remaining(budget, taken))
    return creditsBudgetRefusal(ctx, balances.new_contacts, { budget, taken })
  return findExportsBudgetRefusal(ctx, store_exports, balances)
}

function chargeOf(ctx: CallerContext, { contactIds, storeIds }: RevealDelivery): queries.RevealCharge {
  const { accountId, mode, entitlement } = ctx.caller
  return {
    accountId,
    mode,
    now: ctx.now,
    requestId: ctx.requestId,
    ...spenderOf(ctx.caller),
    ...keyAccountOf(ctx.caller),
    periodStart: entitlement.period.start,
    storeIds: [...new Set(storeIds)],
    storeExportsAllowance: entitlement.limits.store_exports,
    contactIds: ascending(contactIds),
    creditsPeriodStart: entitlement.creditsPeriod.start,
    creditsAllowance: entitlement.limits.contact_credits,
  }
}

/** Without repetitions, in the order in which every request locks them. */
function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b)
}
