import type { Caller, CountedWindows, PendingAdmission } from '../../auth/caller.ts'
import { clockToleranceMs, formatDay } from '../../kernel/time.ts'
import type { BatchCharge } from './batch-queries.ts'

/** A request that is admitted and charged with others. */
export interface BatchItem {
  caller: Caller
  admission: PendingAdmission
  requestId: string
  /** The time of its charge. */
  spentAt: Date
  /** How much of a batch it takes. */
  weight: number
}

const dayMs = 86_400_000
const minuteMs = 60_000

/** Whether two requests of an account and mode count towards the same day and periods, with the same limits. */
export function canShareBatch(first: BatchItem, item: BatchItem): boolean {
  if (first.admission.standing.accountVersion !== item.admission.standing.accountVersion) return false
  const { entitlement } = first.caller
  const other = item.caller.entitlement
  if (
    entitlement !== other &&
    (entitlement.period.start.getTime() !== other.period.start.getTime() ||
      entitlement.creditsPeriod.start.getTime() !== other.creditsPeriod.start.getTime() ||
      entitlement.trial.active !== other.trial.active)
  )
    return false
  const nowMs = first.admission.requestedAt.getTime()
  const otherMs = item.admission.requestedAt.getTime()
  return dayOf(nowMs) === dayOf(otherMs) && dayOf(nowMs + clockToleranceMs) === dayOf(otherMs + clockToleranceMs)
}

function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

/** What a batch of requests has in common; null if they cannot be charged together. */
export function describeBatch(items: readonly BatchItem[]): BatchCharge | null {
  const { caller, admission } = items[0]!
  const { limits, period } = caller.entitlement
  const versions = new Map<number, string>()
  const budgets = new Map<number, BatchItem>()
  let earliestMs = Number.POSITIVE_INFINITY
  let latestMs = Number.NEGATIVE_INFINITY
  for (const item of items) {
    const { id, counterKeyId } = item.caller.key!
    const { keyVersion } = item.admission.standing
    if ((versions.get(id) ?? keyVersion) !== keyVersion) return null
    versions.set(id, keyVersion)
    const other = budgets.get(counterKeyId)
    if (other && !haveSameBudgets(other, item)) return null
    budgets.set(counterKeyId, item)
    const nowMs = item.admission.requestedAt.getTime()
    earliestMs = Math.min(earliestMs, nowMs)
    latestMs = Math.max(latestMs, nowMs)
  }
  return {
    accountId: caller.accountId,
    mode: caller.mode,
    accountVersion: admission.standing.accountVersion,
    keyIds: [...versions.keys()],
    keyVersions: [...versions.values()],
    minuteLimit: limits.requests_per_minute,
    dayLimit: limits.requests_per_day,
    startedAt: admission.requestedAt,
    openAfter: new Date(latestMs - minuteMs),
    openUntil: new Date(earliestMs + clockToleranceMs),
    overUntil: new Date(earliestMs - minuteMs),
    overAfter: new Date(latestMs + clockToleranceMs),
    day: formatDay(admission.requestedAt),
    lastOpenDay: formatDay(new Date(earliestMs + clockToleranceMs)),
    periodStart: period.start,
    storeExportsAllowance: limits.store_exports,
    requestIds: items.map(({ requestId }) => requestId),
    spentAt: items.map(({ spentAt }) => spentAt),
    requestKeyIds: items.map((item) => item.caller.key!.id),
    counterKeyIds: items.map((item) => item.caller.key!.counterKeyId),
    exportsBudgets: items.map((item) => item.caller.key!.budgets.store_exports),
  }
}

/** Keys that replaced each other share their counters, but each can have budgets of its own. */
function haveSameBudgets(one: BatchItem, other: BatchItem): boolean {
  const { budgets } = one.caller.key!
  const { budgets: others } = other.caller.key!
  return (
    budgets === others ||
    (budgets.contact_credits === others.contact_credits &&
      budgets.store_exports === others.store_exports &&
      budgets.search_rows === others.search_rows)
  )
}

/** The windows as one request of a batch left them, had the requests come one after the other. */
export function windowsAfter(windows: CountedWindows, later: number): CountedWindows {
  return { ...windows, minuteUsed: windows.minuteUsed - later, dayUsed: windows.dayUsed - later }
}

/**
 * What was taken of a meter after each request, from what is taken after the batch: without the amounts of later requests,
 * of the same key if `keys` names the key of each.
 */
export function takenAfterEach(taken: number, amounts: readonly number[]): number[] {
  const result = new Array<number>(amounts.length)
  let current = taken
  for (let index = amounts.length - 1; index >= 0; index--) {
    result[index] = current
    current -= amounts[index]!
  }
  return result
}

/** The same of each request's key; `taken` is by the key that is counted, and lacks those without a budget. */
export function keyTakenAfterEach(
  taken: ReadonlyMap<number, number>,
  amounts: readonly number[],
  counterKeyIds: readonly number[],
): number[] {
  const current = new Map(taken)
  const result = new Array<number>(amounts.length)
  for (let index = amounts.length - 1; index >= 0; index--) {
    const key = counterKeyIds[index]!
    const after = current.get(key) ?? 0
    result[index] = after
    current.set(key, after - amounts[index]!)
  }
  return result
}
