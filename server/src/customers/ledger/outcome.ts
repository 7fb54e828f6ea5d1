/** The result of a statement for each of its requests, as if they had come one after the other. */

import { type Meter, meters } from '../accounts/plans.ts'
import { budgetOf, leftWithinBudget } from '../auth/budgets.ts'
import type { CountedWindows } from '../auth/caller.ts'
import type { Batch } from './batch.ts'
import { findCountedRefusal, findOnceRefusal, findWindowRefusal, type MakeRefusal } from './refusals.ts'
import type { ChargeItem } from './spending.ts'
import type { ChargeOutcomeRow, MeterColumns } from './statement/charge-queries.ts'

/** The rest of each charged meter: of the account, at most of the key's budget. */
export type Balance = Partial<Record<Meter, number>>

export interface Paid {
  state: 'paid'
  /** Null for a request that was not counted by this charge. */
  windows: CountedWindows | null
  /** How much was charged of each meter. */
  spent: Partial<Record<Meter, number>>
  balance: Balance
  /** Contacts that are revealed now or were before, by id; one that another request reveals at this moment can be missing. */
  reveals: ReadonlyMap<number, { revealedAt: Date; isNew: boolean }>
  /** The version of the catalogue that was charged for. */
  version: string | null
}

/** Why nothing was paid. */
export type NotPaid =
  /** Key or account are not what the process took them for. */
  | { state: 'stale' }
  /** The catalogue has another version. */
  | { state: 'outdated'; version: string }
  /** Other requests took what was left at this moment; the same request may be sent again. */
  | { state: 'contended' }
  /** Refused. The windows are as the request leaves them: it counts only if what it costs was decided last. */
  | { state: 'refused'; refusal: MakeRefusal; windows: CountedWindows | null; isCounted: boolean }

export type ChargeOutcome = Paid | NotPaid

/** The outcome of each request; null if several were refused together: nothing was done then. */
export function readOutcomes(batch: Batch, row: ChargeOutcomeRow): ChargeOutcome[] | null {
  const { items, parts } = batch
  if (row.is_paid) return describePaid(batch, row)
  const { catalogueVersion } = items[0]!.spending
  if (typeof catalogueVersion === 'string' && row.version !== catalogueVersion)
    return items.map(() => ({ state: 'outdated', version: row.version! }))
  if (parts.admits && row.is_current === false) {
    // Of several keys, any may be the one that has changed; their requests are sent again one by one.
    const { known } = items[0]!.admission!
    if (items.some(({ admission }) => admission!.known !== known)) return null
    known.isStale = true
    return items.map(() => ({ state: 'stale' }))
  }
  if (items.length > 1) return null
  const [item] = items as [ChargeItem]
  const windows = parts.admits ? windowsOf(row, item) : null
  const isCounted = parts.admits && row.is_admitted
  const columns = (meter: Meter) => columnsOf(row, meter)
  const full = windows && !isCounted ? findWindowRefusal(item, windows) : null
  const refusal =
    (full && (() => full)) ??
    (isCounted ? null : findCountedRefusal(item, columns, row)) ??
    // A request that lost the last place of its minute to another one is sent again: what else it lacks comes after that.
    (parts.admits && !isCounted ? null : findOnceRefusal(item, columns))
  return [refusal ? { state: 'refused', refusal, windows, isCounted } : { state: 'contended' }]
}

function columnsOf(row: ChargeOutcomeRow, meter: Meter): MeterColumns {
  const column = <T>(name: string) => (row[`${meter}_${name}`] ?? null) as T
  return { taken: column('taken'), of_keys: column('of_keys'), new: column('new'), needed: column('needed') }
}

function windowsOf(row: ChargeOutcomeRow, { admission }: ChargeItem): CountedWindows {
  const { requestedAt } = admission!
  return {
    minuteStartedAt: row.minute_started_ms === null ? requestedAt : new Date(row.minute_started_ms!),
    minuteUsed: row.minute_used ?? 0,
    day: row.day ?? requestedAt.toISOString().slice(0, 10),
    dayUsed: row.day_used ?? 0,
  }
}

function describePaid({ items, parts, firsts }: Batch, row: ChargeOutcomeRow): Paid[] {
  const windows = parts.admits ? windowsOf(row, items[0]!) : null
  const spent = new Map<Meter, readonly number[]>()
  const left = new Map<Meter, readonly number[]>()
  let newContacts: ReadonlySet<number> = new Set()
  for (const meter of meters) {
    if (!parts.meters[meter]) continue
    const columns = columnsOf(row, meter)
    const newIds = readIds(columns.new)
    if (meter === 'contact_credits') newContacts = newIds
    const amounts = amountsOf(items, meter, newIds, firsts[meter], row)
    spent.set(meter, amounts)
    left.set(meter, leftAfterEach(items, meter, amounts, columns))
  }
  const known = readPairs((row.known as string | null) ?? null)
  return items.map((_, index) => {
    const result: Paid = {
      state: 'paid',
      windows: windows && windowsAfter(windows, items.length - 1 - index),
      spent: {},
      balance: {},
      reveals: revealsOf(items, index, { known, newContacts, first: firsts.contact_credits }),
      version: row.version ?? null,
    }
    for (const [meter, amounts] of spent) {
      result.spent[meter] = amounts[index]!
      result.balance[meter] = left.get(meter)![index]!
    }
    return result
  })
}

/** The windows as one request of a batch left them, had the requests come one after the other. */
function windowsAfter(windows: CountedWindows, later: number): CountedWindows {
  return later === 0
    ? windows
    : { ...windows, minuteUsed: windows.minuteUsed - later, dayUsed: windows.dayUsed - later }
}

function amountsOf(
  items: readonly ChargeItem[],
  meter: Meter,
  newIds: ReadonlySet<number>,
  first: ReadonlyMap<number, number> | undefined,
  row: ChargeOutcomeRow,
): readonly number[] {
  if (meter === 'search_rows' && row.rows_charged !== undefined) return [row.rows_charged]
  if (!first)
    return items.map(({ spending }) => {
      const spent = spending[meter]!
      return 'amount' in spent ? spent.amount : 0
    })
  const amounts = new Array<number>(items.length).fill(0)
  for (const id of newIds) amounts[first.get(id)!]!++
  return amounts
}

/** What each request left, from what is taken after the last one: without the amounts of later requests, for keys of the same key. */
function leftAfterEach(
  items: readonly ChargeItem[],
  meter: Meter,
  amounts: readonly number[],
  { taken, of_keys }: MeterColumns,
): number[] {
  const allowance = items[0]!.caller.entitlement.limits[meter]
  const keysTaken = readPairs(of_keys)
  const left = new Array<number>(items.length)
  let accountTaken = taken
  for (let index = items.length - 1; index >= 0; index--) {
    const { key } = items[index]!.caller
    const budget = budgetOf(key, meter)
    const keyTaken = key ? (keysTaken.get(key.counterKeyId) ?? 0) : 0
    left[index] = leftWithinBudget(remaining(allowance, accountTaken), budget, keyTaken)
    accountTaken -= amounts[index]!
    if (key) keysTaken.set(key.counterKeyId, keyTaken - amounts[index]!)
  }
  return left
}

/** Never negative: an allowance can be lowered below what is already used. */
export function remaining(allowance: number, taken: number): number {
  return Math.max(0, allowance - taken)
}

interface RevealFacts {
  /** Milliseconds by contact. */
  known: ReadonlyMap<number, number>
  newContacts: ReadonlySet<number>
  first: ReadonlyMap<number, number> | undefined
}

function revealsOf(
  items: readonly ChargeItem[],
  index: number,
  { known, newContacts, first }: RevealFacts,
): Paid['reveals'] {
  const { contact_credits, contactsShown } = items[index]!.spending
  const reveals = new Map<number, { revealedAt: Date; isNew: boolean }>()
  for (const id of contact_credits?.ids ?? contactsShown ?? []) {
    const payer = first?.get(id)
    const knownMs = known.get(id)
    if (payer !== undefined && newContacts.has(id))
      reveals.set(id, { revealedAt: items[payer]!.spentAt, isNew: payer === index })
    else if (knownMs !== undefined) reveals.set(id, { revealedAt: new Date(knownMs), isNew: false })
  }
  return reveals
}

/** Numbers separated by commas. */
function readIds(text: string | null): Set<number> {
  return new Set(text === null ? [] : text.split(',').map(Number))
}

/** Pairs of numbers, such as `7 120,9 4`. */
function readPairs(text: string | null): Map<number, number> {
  const pairs = new Map<number, number>()
  if (text === null) return pairs
  for (const pair of text.split(',')) {
    const space = pair.indexOf(' ')
    pairs.set(Number(pair.slice(0, space)), Number(pair.slice(space + 1)))
  }
  return pairs
}
