import { fieldError } from '#api/failure.ts'
import { formatNumber } from '#lib/format.ts'
import { NumberField } from '#ui/fields/number-field.tsx'
import { meterNames } from '../../usage/api.ts'
import type { ApiKey } from '../api.ts'
import { type BudgetDraft, type BudgetMeter, budgetMeters, budgetProblem, effectOf } from './budget.ts'

interface BudgetFieldsProps {
  draft: BudgetDraft
  onChange: (draft: BudgetDraft) => void
  /** The server's refusal, if there is one. */
  failure: unknown
  /** The budgets in force, of a key that exists. */
  current?: ApiKey['budget']
}

/** A field for each meter that can have a budget. */
export function BudgetFields({ draft, onChange, failure, current }: BudgetFieldsProps) {
  return (
    <div className="grid gap-x-6 gap-y-3 sm:grid-cols-3">
      {budgetMeters.map((meter) => (
        <NumberField
          key={meter}
          label={meterNames[meter]}
          placeholder="No budget"
          value={draft[meter]}
          onChange={(figure) => onChange({ ...draft, [meter]: figure })}
          minValue={0}
          // A figure that cannot be is said, not replaced by another.
          commitBehavior="validate"
          errorMessage={budgetProblem(draft[meter]) ?? fieldError(failure, budgetField(meter))}
          description={effectOf(draft[meter], current?.[meter] ?? null) ?? usedOf(current?.[meter])}
        />
      ))}
    </div>
  )
}

/** The effect of a budget, once for all fields. */
export function BudgetRules() {
  return (
    <p className="text-muted text-xs">
      What the key may spend of its own in each period; an empty field is no budget. Past it, reveals are refused with
      status 402, searches and new stores with 429, until the next period. The limits of the account hold as well.
    </p>
  )
}

/** The name by which the server complains about a field. */
export const budgetField = (meter: BudgetMeter) => `budget.${meter}`

function usedOf(figures: { used: number } | null | undefined): string | undefined {
  return figures ? `${formatNumber(figures.used)} used so far` : undefined
}
