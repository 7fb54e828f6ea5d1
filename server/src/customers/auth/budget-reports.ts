import type { Queryable } from '../../foundation/db/pool.ts'
import type { Entitlement } from '../accounts/account.ts'
import { type KeyCounterRow, selectKeyCounters } from './budget-queries.ts'
import { type BudgetReport, type Budgets, budgetMeters, type CallingKey, hasBudget } from './budgets.ts'

/** A key as its counters are found. */
interface CountedKey {
  counterKeyId: number
  budgets: Budgets
}

/**
 * The budgets of keys of one account, and what of them is used, in the order of the keys. Asks the database only if one of
 * them has a budget.
 */
export async function readBudgetReports(
  db: Queryable,
  { accountId, entitlement }: { accountId: number; entitlement: Entitlement },
  keys: readonly CountedKey[],
): Promise<BudgetReport[]> {
  const keyIds = [...new Set(keys.filter((key) => hasBudget(key.budgets)).map((key) => key.counterKeyId))]
  const counters =
    keyIds.length === 0
      ? []
      : await selectKeyCounters(db, {
          accountId,
          keyIds,
          periodStart: entitlement.period.start,
          creditsPeriodStart: entitlement.creditsPeriod.start,
        })
  const byName = new Map(counters.map((row) => [`${row.key_id} ${row.meter}`, row]))
  return keys.map(({ counterKeyId, budgets }) => {
    const figuresOf = (meter: (typeof budgetMeters)[number]) =>
      describeBudget(budgets[meter], byName.get(`${counterKeyId} ${meter}`))
    return Object.fromEntries(budgetMeters.map((meter) => [meter, figuresOf(meter)])) as BudgetReport
  })
}

/** The budgets of the key of a request; none for a user. */
export async function readCallerBudgets(
  db: Queryable,
  caller: { accountId: number; entitlement: Entitlement; key: CallingKey | null },
): Promise<BudgetReport | null> {
  if (!caller.key || !hasBudget(caller.key.budgets)) return null
  return (await readBudgetReports(db, caller, [caller.key]))[0]!
}

function describeBudget(limit: number | null, counter: KeyCounterRow | undefined) {
  if (limit === null) return null
  const { used = 0, reserved = 0 } = counter ?? {}
  return { limit, used, remaining: Math.max(0, limit - used - reserved) }
}
