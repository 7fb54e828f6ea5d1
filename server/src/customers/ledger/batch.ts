/** The statement of a batch of requests: its parts and the values of the named parameters. */

import { clockToleranceMs, formatDay, formatTime } from '../../foundation/kernel/time.ts'
import { meters as allMeters, type Meter } from '../accounts/plans.ts'
import { budgetOf } from '../auth/budgets.ts'
import type { KnownStores } from './exports-cache.ts'
import { askedOf, type ChargeItem, type CountedMeter, type OnceMeter, type Spending } from './spending.ts'
import type { ChargeValues } from './statement/charge-queries.ts'
import { type ChargeParts, kindOfCharge } from './statement/parts.ts'

export interface Batch {
  items: readonly ChargeItem[]
  parts: ChargeParts
  /** What its statement is called in figures (`kindOfCharge`). */
  kind: string
  values: ChargeValues
  /** Of meters that count each id once: by id, the first request that has it, which pays for it. */
  firsts: Partial<Record<Meter, ReadonlyMap<number, number>>>
}

/** Describes requests that `canShareCharge` lets share a statement; null if their keys do not. `known` exports cost nothing. */
export function describeBatch(items: readonly ChargeItem[], known: KnownStores): Batch | null {
  const [{ caller, admission, spending, requestId, spentAt }] = items as [ChargeItem]
  const isAlone = items.length === 1
  const keys = admission ? keysOf(items) : null
  if (admission && !keys) return null
  const values: ChargeValues = {
    account_id: caller.accountId,
    mode: caller.mode,
    person_id: caller.userId,
    catalogue_version: spending.catalogueVersion,
    keeps_more: spending.keepsMore ?? false,
    needs_access: spending.needsAccess ?? true,
    ...(isAlone
      ? {
          request_id: requestId,
          spent_at: spentAt,
          key_id: caller.key?.id ?? null,
          counter_key_id: caller.key?.counterKeyId ?? null,
        }
      : {
          request_ids: arrayLiteral(items.map((item) => item.requestId)),
          spent_ats: arrayLiteral(items.map((item) => formatTime(item.spentAt))),
          key_ids: arrayLiteral(items.map((item) => item.caller.key!.id)),
          counter_key_ids: arrayLiteral(items.map((item) => item.caller.key!.counterKeyId)),
        }),
  }
  if (keys) Object.assign(values, keys, windowValues(items))
  const { view } = spending
  if (view) Object.assign(values, { page: view.page, row_ids: arrayLiteral(view.rowIds) })
  const contactsShown = spending.contactsShown && distinct(items, ({ contactsShown }) => contactsShown!)
  if (contactsShown) values.contact_ids = arrayLiteral(contactsShown)

  const meters: ChargeParts['meters'] = {}
  const firsts: Batch['firsts'] = {}
  for (const meter of allMeters) {
    const spent = spending[meter]
    if (!spent) continue
    addTerms(values, items, meter)
    if ('amount' in spent) meters[meter] = addAmounts(values, items, meter as CountedMeter)
    else {
      const first = firstRequests(items, meter as OnceMeter, meter === 'store_exports' ? known : null)
      firsts[meter] = first
      meters[meter] = addIds(values, items, meter as OnceMeter, first)
    }
  }
  if (meters.contact_credits === 'each_once')
    values.contact_ids = arrayLiteral(distinct(items, ({ contact_credits }) => contact_credits!.ids))
  const parts: ChargeParts = {
    admits: admission !== null,
    isAlone,
    hasBudgets: !isAlone && items.some((item) => hasBudgetOf(item, meters)),
    meters,
    ofCatalogue: spending.catalogueVersion !== undefined,
    listsRevealed: contactsShown !== undefined,
    views: view ? 'page' : spending.isShown && caller.userId !== null ? 'rows' : null,
    spendsReserved: spending.isReserved ?? false,
  }
  return { items, parts, kind: kindOfCharge(parts), values, firsts }
}

/** The terms of a meter, which all requests share, and the budgets of their keys. */
function addTerms(values: ChargeValues, items: readonly ChargeItem[], meter: Meter): void {
  const [{ caller }] = items as [ChargeItem]
  const { limits, period, creditsPeriod } = caller.entitlement
  values[`${meter}_period`] = meter === 'contact_credits' ? creditsPeriod.start : period.start
  values[`${meter}_allowance`] = limits[meter]
  if (items.length === 1) values[`${meter}_budget`] = budgetOf(caller.key, meter)
  else values[`${meter}_budgets`] = arrayLiteral(items.map((item) => budgetOf(item.caller.key, meter)))
}

function addAmounts(values: ChargeValues, items: readonly ChargeItem[], meter: CountedMeter) {
  const amounts = items.map(({ spending }) => spending[meter]!.amount)
  const asked = items.map(({ spending }) => askedOf(spending[meter]!))
  if (items.length === 1) {
    values[`${meter}_amount`] = amounts[0]
    values[`${meter}_asked`] = asked[0]
  } else {
    values[`${meter}_amounts`] = arrayLiteral(amounts)
    addAsked(values, meter, asked)
  }
  return 'counted' as const
}

function addIds(
  values: ChargeValues,
  items: readonly ChargeItem[],
  meter: OnceMeter,
  first: ReadonlyMap<number, number>,
) {
  if (items.length > 1) addAsked(values, meter, countEach(items.length, first))
  if (first.size === 0) return 'read' as const
  values[`${meter}_ids`] = arrayLiteral([...first.keys()])
  if (items.length > 1) values[`${meter}_firsts`] = arrayLiteral([...first.values()].map((index) => index + 1))
  return 'each_once' as const
}

/** At most so much of a meter is spent, by each of several requests. */
function addAsked(values: ChargeValues, meter: Meter, asked: readonly number[]): void {
  values[`${meter}_asked`] = asked.reduce((sum, each) => sum + each, 0)
  values[`${meter}_askeds`] = arrayLiteral(asked)
}

function hasBudgetOf({ caller: { key } }: ChargeItem, meters: ChargeParts['meters']): boolean {
  return allMeters.some((meter) => meters[meter] && budgetOf(key, meter) !== null)
}

/** Each id with the first of the requests that has it, by index. */
function firstRequests(items: readonly ChargeItem[], meter: OnceMeter, known: KnownStores | null): Map<number, number> {
  const first = new Map<number, number>()
  for (const [index, { spending }] of items.entries())
    for (const id of spending[meter]!.ids) if (!first.has(id) && !known?.has(id)) first.set(id, index)
  return first
}

function countEach(requests: number, first: ReadonlyMap<number, number>): number[] {
  const counts = new Array<number>(requests).fill(0)
  for (const index of first.values()) counts[index]!++
  return counts
}

function distinct(items: readonly ChargeItem[], idsOf: (spending: Spending) => readonly number[]): readonly number[] {
  return items.length === 1 ? idsOf(items[0]!.spending) : [...new Set(items.flatMap(({ spending }) => idsOf(spending)))]
}

/**
 * The keys of a batch, each once, and the versions of their rows; null if the process knows one of them in two versions, or if keys
 * that share their counters have different budgets.
 */
function keysOf(items: readonly ChargeItem[]): ChargeValues | null {
  const versions = new Map<number, string>()
  const budgets = new Map<number, ChargeItem>()
  for (const item of items) {
    const { id, counterKeyId } = item.caller.key!
    const { keyVersion } = item.admission!.known
    if ((versions.get(id) ?? keyVersion) !== keyVersion) return null
    versions.set(id, keyVersion)
    const other = budgets.get(counterKeyId)
    if (other && !haveSameBudgets(other, item)) return null
    budgets.set(counterKeyId, item)
  }
  return {
    account_version: items[0]!.admission!.known.accountVersion,
    known_keys: arrayLiteral([...versions.keys()]),
    key_versions: arrayLiteral([...versions.values()]),
  }
}

function haveSameBudgets({ caller: { key: one } }: ChargeItem, { caller: { key: other } }: ChargeItem): boolean {
  return one!.budgets === other!.budgets || allMeters.every((meter) => budgetOf(one, meter) === budgetOf(other, meter))
}

const minuteMs = 60_000

/**
 * The minute is open for all requests if it started after `open_after`, and not after `open_until`; it is over for all if it did not
 * start after `over_until`, or started after `over_after`.
 */
function windowValues(items: readonly ChargeItem[]): ChargeValues {
  const [{ caller, admission, spending }] = items as [ChargeItem]
  const { limits } = caller.entitlement
  let earliestMs = Number.POSITIVE_INFINITY
  let latestMs = Number.NEGATIVE_INFINITY
  for (const item of items) {
    const nowMs = item.admission!.requestedAt.getTime()
    earliestMs = Math.min(earliestMs, nowMs)
    latestMs = Math.max(latestMs, nowMs)
  }
  const counts = spending.requests ?? { minute: items.length, day: items.length }
  return {
    minute_limit: limits.requests_per_minute,
    day_limit: limits.requests_per_day,
    minute_count: counts.minute,
    day_count: counts.day,
    started_at: admission!.requestedAt,
    open_after: new Date(latestMs - minuteMs),
    open_until: new Date(earliestMs + clockToleranceMs),
    over_until: new Date(earliestMs - minuteMs),
    over_after: new Date(latestMs + clockToleranceMs),
    day: formatDay(admission!.requestedAt),
    last_open_day: formatDay(new Date(earliestMs + clockToleranceMs)),
  }
}

/** A PostgreSQL array of values without special characters; cheaper than what the driver does for any value. */
function arrayLiteral(values: readonly (number | string | boolean | null)[]): string {
  let items = ''
  for (let index = 0; index < values.length; index++) items += `${index > 0 ? ',' : ''}${values[index] ?? 'NULL'}`
  return `{${items}}`
}
