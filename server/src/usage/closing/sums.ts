import type { Meter } from '../../accounts/plans.ts'
import type { Mode } from '../../kernel/ids.ts'

export interface PeriodKey {
  mode: Mode
  meter: Meter
  period_start: Date
}

/** What entries add up to in one period. */
export interface PeriodSum extends PeriodKey {
  entries: number
  amount: number
}

/** Equal for equal periods. */
export function periodName({ mode, meter, period_start }: PeriodKey): string {
  return `${mode} ${meter} ${period_start.getTime()}`
}

/** What entries add up to in each mode, meter and period. */
export function sumByPeriod(rows: readonly (PeriodKey & { amount: number })[]): Map<string, PeriodSum> {
  const sums = new Map<string, PeriodSum>()
  for (const { mode, meter, period_start, amount } of rows) {
    const name = periodName({ mode, meter, period_start })
    const before = sums.get(name)
    sums.set(name, {
      mode,
      meter,
      period_start,
      entries: (before?.entries ?? 0) + 1,
      amount: (before?.amount ?? 0) + amount,
    })
  }
  return sums
}
