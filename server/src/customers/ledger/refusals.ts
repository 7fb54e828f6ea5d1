import { Refusal } from '../../foundation/kernel/errors.ts'
import { formatDay, formatNumber, type Period } from '../../foundation/kernel/time.ts'
import { trialAction } from '../accounts/billing-actions.ts'
import type { Meter } from '../accounts/plans.ts'
import { budgetOf } from '../auth/budgets.ts'
import type { CountedWindows, Spender } from '../auth/caller.ts'
import { messageLimitError, rateLimitError, requestWindowsAt } from '../auth/rate-limits.ts'
import type { TrialLinks } from '../auth/trial-links.ts'
import { askedOf, type ChargeItem, type CountedMeter } from './spending.ts'
import type { ChargeOutcomeRow, MeterColumns } from './statement/charge-queries.ts'
import { viewedRowsAllowance } from './window-queries.ts'

/** Makes the error of a refusal, which may link to the page of a trial. */
export type MakeRefusal = (trialLinks: TrialLinks) => Refusal

/** Why a request was not counted: the longest full window; null if the windows have room. */
export function findWindowRefusal(
  { caller, admission, spending }: ChargeItem,
  counted: CountedWindows,
): Refusal | null {
  const { requestedAt: now } = admission!
  const { requests_per_minute: minute, requests_per_day: day } = requestWindowsAt(
    counted,
    caller.entitlement.limits,
    now,
  )
  const counts = spending.requests ?? { minute: 1, day: 1 }
  if (day!.used + counts.day > day!.limit) return rateLimitError('requests_per_day', day!, now)
  if (minute!.used + counts.minute <= minute!.limit) return null
  return counts.day === 0
    ? messageLimitError(minute!, counts.minute, now)
    : rateLimitError('requests_per_minute', minute!, now)
}

/** The figures of a meter, of the statement that refused a request. */
type ColumnsOf = (meter: Meter) => MeterColumns

/** The meters that count amounts, as messages name them. */
const countedThings: Record<CountedMeter, string> = { search_rows: 'search rows' }
const countedMeters = Object.keys(countedThings) as CountedMeter[]

/** Returns the error if a limit that is decided before counting, such as search rows, is exceeded; null otherwise. */
export function findCountedRefusal(item: ChargeItem, columnsOf: ColumnsOf, row: ChargeOutcomeRow): MakeRefusal | null {
  for (const meter of countedMeters) {
    const refusal = findRefusalOf(item, meter, columnsOf, row)
    if (refusal) return refusal
  }
  return null
}

function findRefusalOf(
  { spending, caller, spentAt }: ChargeItem,
  meter: CountedMeter,
  columnsOf: ColumnsOf,
  row: ChargeOutcomeRow,
): MakeRefusal | null {
  const spent = spending[meter]
  if (!spent) return null
  const refused: Refused = { caller, now: spentAt }
  const needed = columnsOf(meter).needed ?? askedOf(spent)
  const { askedAs = 'limit' } = spent
  const left = leftOf(caller, columnsOf, meter)
  if (needed > left) return () => countedRefusal(refused, meter, left, askedAs)
  const budget = lackedBudget(caller, columnsOf, meter, needed)
  if (budget) return () => countedBudgetRefusal(refused, meter, budget, askedAs)
  const hourLeft = Math.max(0, viewedRowsAllowance - (row.hour_rows ?? 0))
  if (row.rows_charged === undefined || needed <= hourLeft) return null
  return () => userRowsRefusal(refused, hourLeft, row.hour_started_at ?? spentAt)
}

/**
 * Returns the error if credits or exports are missing; null otherwise. The account's limit comes first, because a higher budget would
 * not help.
 */
export function findOnceRefusal({ caller, spentAt }: ChargeItem, columnsOf: ColumnsOf): MakeRefusal | null {
  const refused: Refused = { caller, now: spentAt }
  const credits = columnsOf('contact_credits').needed ?? 0
  const exports = columnsOf('store_exports').needed ?? 0
  const creditsLeft = leftOf(caller, columnsOf, 'contact_credits')
  if (credits > creditsLeft) return (trialLinks) => creditsRefusal({ ...refused, trialLinks }, credits, creditsLeft)
  const exportsLeft = leftOf(caller, columnsOf, 'store_exports')
  if (exports > exportsLeft) return () => exportsRefusal(refused, exportsLeft)
  const creditsBudget = lackedBudget(caller, columnsOf, 'contact_credits', credits)
  if (creditsBudget) return () => creditsBudgetRefusal(refused, credits, creditsBudget)
  const exportsBudget = lackedBudget(caller, columnsOf, 'store_exports', exports)
  return exportsBudget && (() => exportsBudgetRefusal(refused, exportsBudget))
}

function leftOf({ entitlement }: Spender, columnsOf: ColumnsOf, meter: Meter): number {
  return Math.max(0, entitlement.limits[meter] - columnsOf(meter).taken)
}

/** The budget of the key that does not have so much left; null if it has, or if there is none. */
function lackedBudget({ key }: Spender, columnsOf: ColumnsOf, meter: Meter, needed: number): TakenBudget | null {
  const budget = budgetOf(key, meter)
  const taken = Number(columnsOf(meter).of_keys?.split(' ')[1] ?? 0)
  return budget !== null && needed > Math.max(0, budget - taken) ? { budget, taken } : null
}

/** The caller of the refused request, and its time. */
interface Refused {
  caller: Spender
  now: Date
}

/** A person would look at more rows than an hour has. */
function userRowsRefusal({ now }: Refused, left: number, startedAt: Date): Refusal {
  const retryAfterSeconds = Math.max(1, Math.ceil((startedAt.getTime() + hourMs - now.getTime()) / 1000))
  const minutes = Math.ceil(retryAfterSeconds / 60)
  return new Refusal(
    'rate_limit_exceeded',
    `${formatNumber(left)} of ${formatNumber(viewedRowsAllowance)} rows that a person may look at in an hour are left for the next ${minutes === 1 ? 'minute' : `${minutes} minutes`}.`,
    { param: 'person_rows', retryAfterSeconds },
  )
}

const hourMs = 3_600_000

/** The requested amount, such as the limit of a search, exceeds the rest. */
function countedRefusal({ caller, now }: Refused, meter: CountedMeter, remaining: number, askedAs: string): Refusal {
  const { limits, period } = caller.entitlement
  const advice = remaining > 0 ? `; ask for ${askedAs} ${formatNumber(remaining)} or less` : ''
  return new Refusal(
    'rate_limit_exceeded',
    `${formatNumber(remaining)} of ${formatNumber(limits[meter])} ${countedThings[meter]} are left until ${formatDay(period.end)}${advice}.`,
    { param: meter, retryAfterSeconds: secondsUntilEnd(period, now) },
  )
}

/**
 * A reply holds more new stores than exports are left. The message does not say how many more: that would count the matches
 * of a search without payment.
 */
function exportsRefusal({ caller, now }: Refused, remaining: number): Refusal {
  const { limits, period } = caller.entitlement
  const advice = remaining > 0 ? '; ask for fewer' : ''
  return new Refusal(
    'rate_limit_exceeded',
    `${formatNumber(remaining)} of ${formatNumber(limits.store_exports)} store exports are left until ${formatDay(period.end)}, and this reply holds more stores that are new this period${advice}.`,
    { param: 'store_exports', retryAfterSeconds: secondsUntilEnd(period, now) },
  )
}

/** A reveal needs more credits than are left; during a trial, the refusal says how to get those of the paid plan. */
function creditsRefusal(
  { caller, now, trialLinks }: Refused & { trialLinks: TrialLinks },
  needed: number,
  remaining: number,
): Refusal {
  const { limits, creditsPeriod, trial } = caller.entitlement
  const verb = needed === 1 ? 'is' : 'are'
  return new Refusal(
    'insufficient_contact_credits',
    `${count(needed, 'contact credit')} ${verb} needed, but ${formatNumber(remaining)} of ${formatNumber(limits.contact_credits)} ${remaining === 1 ? 'is' : 'are'} left ${trial.active ? 'for this trial' : `until ${formatDay(creditsPeriod.end)}`}.`,
    {
      param: 'contact_ids',
      ...(trial.active && { billing: trialAction(caller.entitlement, trialLinks.urlFor(caller, now)) }),
    },
  )
}

/** A budget of the key, and what is used and reserved of it. */
interface TakenBudget {
  budget: number
  taken: number
}

/** It exceeds what is left of the key's budget. */
function countedBudgetRefusal(
  { caller, now }: Refused,
  meter: CountedMeter,
  { budget, taken }: TakenBudget,
  askedAs: string,
): Refusal {
  const { period } = caller.entitlement
  const left = Math.max(0, budget - taken)
  const advice = left > 0 ? `; ask for ${askedAs} ${formatNumber(left)} or less` : ''
  return new Refusal(
    'rate_limit_exceeded',
    `This API key has used ${ofBudget({ budget, taken }, countedThings[meter])} of its own budget until ${formatDay(period.end)}${advice}.`,
    { param: `key_budget.${meter}`, retryAfterSeconds: secondsUntilEnd(period, now) },
  )
}

/** A reply holds more new stores than the key's budget has left; like `exportsRefusal` it does not say how many. */
function exportsBudgetRefusal({ caller, now }: Refused, taken: TakenBudget): Refusal {
  const { period } = caller.entitlement
  const advice = taken.budget > taken.taken ? '; ask for fewer' : ''
  return new Refusal(
    'rate_limit_exceeded',
    `This API key has used ${ofBudget(taken, 'store exports')} of its own budget until ${formatDay(period.end)}, and this reply holds more stores that are new this period${advice}.`,
    { param: 'key_budget.store_exports', retryAfterSeconds: secondsUntilEnd(period, now) },
  )
}

/** A reveal needs more credits than the key's budget has left. No link: more credits of the account would not help. */
function creditsBudgetRefusal({ caller }: Refused, needed: number, taken: TakenBudget): Refusal {
  const { creditsPeriod } = caller.entitlement
  const verb = needed === 1 ? 'is' : 'are'
  return new Refusal(
    'insufficient_contact_credits',
    `${count(needed, 'contact credit')} ${verb} needed, but this API key has used ${ofBudget(taken, 'contact credits')} of its own budget until ${formatDay(creditsPeriod.end)}.`,
    { param: 'key_budget.contact_credits' },
  )
}

/** Such as "8 of 10 contact credits". A budget can be lowered below what is used. */
const ofBudget = ({ budget, taken }: TakenBudget, things: string) =>
  `${formatNumber(taken)} of ${formatNumber(budget)} ${things}`

function secondsUntilEnd({ end }: Period, now: Date): number {
  return Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000))
}

const count = (value: number, noun: string) => `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`
