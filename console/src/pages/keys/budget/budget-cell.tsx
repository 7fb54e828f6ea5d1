import { formatNumber } from '#lib/format.ts'
import { MeterBar } from '#ui/data/meter-bar.tsx'
import type { ApiKey } from '../api.ts'
import { type BudgetMeter, budgetsOf, reservedOf } from './budget.ts'

const things: Record<BudgetMeter, string> = {
  contact_credits: 'credits',
  store_exports: 'exports',
  search_rows: 'rows',
}

/** The budgets of a key, with what is used of each in this period. */
export function BudgetCell({ apiKey }: { apiKey: ApiKey }) {
  const budgets = budgetsOf(apiKey)
  if (budgets.length === 0) return <span className="text-muted">none</span>
  return (
    <ul className="min-w-32 space-y-1.5 text-xs">
      {budgets.map(([meter, figures]) => {
        const reserved = reservedOf(figures)
        return (
          <li key={meter} className="space-y-0.5">
            <span className="md:whitespace-nowrap">
              {formatNumber(figures.used)} of {formatNumber(figures.limit)} {things[meter]}
              {reserved > 0 && <span className="text-muted">, {formatNumber(reserved)} reserved</span>}
            </span>
            <MeterBar value={figures.used + reserved} limit={figures.limit} />
          </li>
        )
      })}
    </ul>
  )
}
