/** The spending of a request. The ledger knows meters and ids, and no operation. */

import { hash } from 'node:crypto'
import { clockToleranceMs } from '../../foundation/kernel/time.ts'
import { type Meter, meters } from '../accounts/plans.ts'
import type { CallerContext, RequestAdmission, Spender } from '../auth/caller.ts'

/** A meter that counts an amount. */
export interface Counted {
  amount: number
  /** What has to be left, as the limit of a search, if it is more than the amount. */
  asked?: number
  /** The parameter of the request that says so; `limit`, if it is missing. */
  askedAs?: string
}

export function askedOf({ amount, asked = 0 }: Counted): number {
  return Math.max(amount, asked)
}

/** A meter that counts each id once: a store once a period, a contact once. The ids are distinct. */
interface EachOnce {
  ids: readonly number[]
}

export type OnceMeter = 'store_exports' | 'contact_credits'
export type CountedMeter = Exclude<Meter, OnceMeter>

export interface Spending extends Partial<Record<CountedMeter, Counted> & Record<OnceMeter, EachOnce>> {
  /** Contacts to check: has the account revealed them? */
  contactsShown?: readonly number[]
  /** The version of the catalogue that what is delivered is of: only what is still current is charged. Null for any version. */
  catalogueVersion?: string | null
  /** The page with its rows, for a person who only looks at them: what it showed shortly before is free. */
  view?: { page: Buffer; rowIds: readonly number[] }
  /** Whether rows are shown without a page; those that a person sees count in their hour, as those of a page do. */
  isShown?: boolean
  /** Whether amounts are spent that were reserved before; they always fit. */
  isReserved?: boolean
  /** Whether the transaction keeps more than the charge, so that its commit is always flushed to disk. */
  keepsMore?: boolean
  /** False for a request that an account without access may make. */
  needsAccess?: boolean
  /** How often the request counts in its minute and its day. */
  requests?: { minute: number; day: number }
}

/** A request and what it spends. */
export interface ChargeItem {
  caller: Spender
  /** Null for a request that is admitted already, and for a person. */
  admission: RequestAdmission | null
  requestId: string
  /** The time of its charge. */
  spentAt: Date
  spending: Spending
}

export function chargeItemOf({ caller, admission, requestId, now }: CallerContext, spending: Spending): ChargeItem {
  return { caller, admission: admission?.isPending ? admission : null, requestId, spentAt: now, spending }
}

/** How much of a batch an item takes. */
export function weightOf({ spending }: ChargeItem): number {
  let weight = 1
  for (const meter of meters) {
    const spent = spending[meter]
    if (spent) weight = Math.max(weight, 'ids' in spent ? spent.ids.length : spent.amount)
  }
  return weight
}

const dayMs = 86_400_000
const dayOf = (ms: number) => Math.floor(ms / dayMs)

/**
 * Whether two requests of an account and mode can be charged by one statement: of keys, in the same day and periods, with the
 * same limits, and for the same meters.
 */
export function canShareCharge(first: ChargeItem, item: ChargeItem): boolean {
  const [one, other] = [first.admission, item.admission]
  if (!one || !other || one.known.accountVersion !== other.known.accountVersion) return false
  if (!haveSamePeriods(first.caller, item.caller) || !haveSameMeters(first.spending, item.spending)) return false
  const [oneMs, otherMs] = [one.requestedAt.getTime(), other.requestedAt.getTime()]
  return dayOf(oneMs) === dayOf(otherMs) && dayOf(oneMs + clockToleranceMs) === dayOf(otherMs + clockToleranceMs)
}

function haveSamePeriods({ entitlement }: Spender, { entitlement: other }: Spender): boolean {
  return (
    entitlement === other ||
    (entitlement.period.start.getTime() === other.period.start.getTime() &&
      entitlement.creditsPeriod.start.getTime() === other.creditsPeriod.start.getTime() &&
      entitlement.trial.active === other.trial.active)
  )
}

function haveSameMeters(one: Spending, other: Spending): boolean {
  return (
    meters.every((meter) => (one[meter] === undefined) === (other[meter] === undefined)) &&
    (one.contactsShown === undefined) === (other.contactsShown === undefined) &&
    one.catalogueVersion === other.catalogueVersion &&
    one.needsAccess === other.needsAccess &&
    one.requests === undefined &&
    other.requests === undefined
  )
}

/** Identifies a page that a person looks at, by all that decides which rows it has; null for a key, which takes rows. */
export function hashViewedPage({ userId }: Pick<Spender, 'userId'>, parts: readonly unknown[]): Buffer | null {
  return userId === null ? null : hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16)
}
