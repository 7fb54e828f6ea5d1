import type { Meter } from '../accounts/plans.ts'

/** The meters that can have a budget. */
export const budgetMeters = ['contact_credits', 'store_exports', 'search_rows'] as const satisfies readonly Meter[]

type BudgetMeter = (typeof budgetMeters)[number]

/** A key's limit of each meter in the meter's period; null for no budget. */
export type Budgets = Record<BudgetMeter, number | null>

/** New budgets; null removes one, and a meter that is missing keeps its own. */
export type BudgetChanges = Partial<Budgets>

export const noBudgets: Readonly<Budgets> = { contact_credits: null, store_exports: null, search_rows: null }

/** The key of a request. */
export interface CallingKey {
  id: number
  name: string
  /** The key under which its spending is counted: the first of a chain of rotations, else itself. */
  counterKeyId: number
  budgets: Budgets
}

/** A budget of a key, and what of it is used in the current period. */
interface BudgetUse {
  limit: number
  used: number
  /** Less what running exports have reserved. */
  remaining: number
}

/** The budgets of a key; null where it has none. */
export type BudgetReport = Record<BudgetMeter, BudgetUse | null>

/** The columns of a key with its budgets. */
export interface BudgetColumns {
  budget_contact_credits: number | null
  budget_store_exports: number | null
  budget_search_rows: number | null
}

export function budgetsOf(row: BudgetColumns): Budgets {
  return {
    contact_credits: row.budget_contact_credits,
    store_exports: row.budget_store_exports,
    search_rows: row.budget_search_rows,
  }
}

export function hasBudget(budgets: Budgets): boolean {
  return budgetMeters.some((meter) => budgets[meter] !== null)
}

/** The budget that a caller has of a meter; null for none, and for a user. */
export function budgetOf(key: Pick<CallingKey, 'budgets'> | null, meter: Meter): number | null {
  return (key?.budgets as Partial<Record<Meter, number | null>> | undefined)?.[meter] ?? null
}

/** The smaller of what the account and the key have left. */
export function leftWithinBudget(left: number, budget: number | null, keyTaken: number): number {
  return budget === null ? left : Math.min(left, Math.max(0, budget - keyTaken))
}
