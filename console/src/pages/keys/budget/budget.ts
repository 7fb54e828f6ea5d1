import { formatNumber } from '#lib/format.ts'
import type { ApiKey, BudgetChanges } from '../api.ts'

type BudgetReport = ApiKey['budget']
export type BudgetFigures = NonNullable<BudgetReport[keyof BudgetReport]>
export type BudgetMeter = keyof BudgetReport

export const budgetMeters: readonly BudgetMeter[] = ['contact_credits', 'store_exports', 'search_rows']

/** The values of a form's fields. `NaN` is an empty field: no budget. */
export type BudgetDraft = Record<BudgetMeter, number>

export const emptyDraft: BudgetDraft = {
  contact_credits: Number.NaN,
  store_exports: Number.NaN,
  search_rows: Number.NaN,
}

/** The meters on which a key has a budget, with the figures. */
export function budgetsOf({ budget }: Pick<ApiKey, 'budget'>): [BudgetMeter, BudgetFigures][] {
  return budgetMeters.flatMap((meter) => {
    const figures = budget[meter]
    return figures ? [[meter, figures]] : []
  })
}

export function draftOf({ budget }: Pick<ApiKey, 'budget'>): BudgetDraft {
  const draft = { ...emptyDraft }
  for (const meter of budgetMeters) draft[meter] = budget[meter]?.limit ?? Number.NaN
  return draft
}

/** The largest number that a counter of the service holds. */
const largest = 2 ** 31 - 1

/** The error of a figure; undefined for one that can be sent, and for an empty field. */
export function budgetProblem(figure: number): string | undefined {
  if (Number.isNaN(figure)) return undefined
  if (!Number.isInteger(figure)) return 'Enter a whole number.'
  if (figure < 0 || figure > largest) return `Enter a number from 0 to ${formatNumber(largest)}.`
  return undefined
}

export function hasProblem(draft: BudgetDraft): boolean {
  return budgetMeters.some((meter) => budgetProblem(draft[meter]) !== undefined)
}

/** The changes to the budgets that the form began with; null removes one. */
export function changesOf(draft: BudgetDraft, before: BudgetDraft = emptyDraft): BudgetChanges {
  const changes: BudgetChanges = {}
  for (const meter of budgetMeters)
    if (!Object.is(draft[meter], before[meter])) changes[meter] = Number.isNaN(draft[meter]) ? null : draft[meter]
  return changes
}

/** The credits or exports reserved by running exports, returned if unused. Not known of a budget that is used up. */
export function reservedOf({ limit, used, remaining }: BudgetFigures): number {
  return Math.max(0, limit - used - remaining)
}

/** The effect of a new figure on a key that has already spent, in words. */
export function effectOf(figure: number, current: BudgetFigures | null): string | undefined {
  if (Number.isNaN(figure) || budgetProblem(figure)) return undefined
  const reserved = current ? reservedOf(current) : 0
  const taken = (current?.used ?? 0) + reserved
  if (figure > taken) return undefined
  if (taken === 0) return 'Nothing can be spent.'
  return `${formatNumber(taken)} ${reserved > 0 ? 'used or reserved' : 'used'} so far: nothing more can be spent this period.`
}
