import type { Queryable } from '../../foundation/db/pool.ts'
import type { Refusal } from '../../foundation/kernel/errors.ts'
import { type AccountTerms, entitlementAt } from '../accounts/account.ts'
import type { Limits, PlanFile } from '../accounts/plans.ts'
import { toAccountTerms } from '../accounts/queries.ts'
import { budgetsOf } from '../auth/budgets.ts'
import type { KeyCaller, Scope } from '../auth/caller.ts'
import { accessRequiredError, missingScopeError, refuseUnusableKey, unknownKeyError } from '../auth/key-refusals.ts'
import {
  type BillingLimit,
  type CallLimit,
  messageLimitError,
  type RateWindow,
  type RateWindows,
  rateLimitError,
  rateWindowAt,
  requestWindowsAt,
} from '../auth/rate-limits.ts'
import { countStatusCheck } from './billing-window-queries.ts'
import { type PresentedKeyRow, readKey } from './queries.ts'

export interface AdmissionContext {
  db: Queryable
  now: Date
  plans: PlanFile
  /** The page on which a user restores an account's access. */
  billingPageOf(accountId: number): string
}

/** The key of a request, and the rights that it needs. */
export interface Presented {
  /** The hash of the request's key. */
  secretHash: Buffer
  /** The account of the key. */
  accountId: number
  /** Null for what any key may do. */
  scope: Scope | null
  /** A billing call's own limit; such a call is also admitted without API access. */
  billingLimit?: BillingLimit
  /** How many messages to `/mcp` it is, instead of one request. */
  messages?: number
}

/** The caller, and the error if the request is refused; the caller's rate windows are known in both cases. */
export interface FoundCaller {
  caller: KeyCaller
  error: Refusal | null
  /** What was decided by. */
  row: PresentedKeyRow
}

/**
 * Reads the caller of a request, and decides whether it may proceed: key, then limits, then API access, then scope. Counts nothing:
 * the charge of the request does. Throws `Refusal` for an unknown or unusable key.
 */
export async function findCaller(ctx: AdmissionContext, presented: Presented): Promise<FoundCaller> {
  const { secretHash, accountId, billingLimit } = presented
  const row = await readKey(ctx.db, { secretHash, accountId, hour: billingLimit ?? null })
  if (!row) throw unknownKeyError()
  refuseUnusableKey(row, ctx.now)
  const terms = toAccountTerms(row)
  const caller = describeCaller(row, terms, ctx, presented)
  return { caller, row, error: presented.messages === 0 ? null : rejectionReason(row, terms, caller, ctx, presented) }
}

/** Finds the caller of a billing status check, and counts it in its hour instead of its minute and day. */
export async function admitStatusCheck(ctx: AdmissionContext, presented: Presented): Promise<FoundCaller> {
  // The hour is read just before it is counted; if it does not explain a rejection, it is read again.
  for (let attempt = 1; ; attempt++) {
    const found = await findCaller(ctx, presented)
    if (found.error) return found
    const { caller } = found
    const { limit } = caller.rate.billing_status!
    const counted = await countStatusCheck(ctx.db, {
      accountId: caller.accountId,
      mode: caller.mode,
      now: ctx.now,
      limit,
    })
    if (counted) {
      caller.rate = { billing_status: rateWindowAt('billing_status', toWindow(counted), limit, ctx.now) }
      return found
    }
    if (attempt >= 3) return { ...found, error: rateLimitError('billing_status', caller.rate.billing_status!, ctx.now) }
  }
}

const toWindow = ({ started_at, used }: { started_at: Date; used: number }) => ({ startedAt: started_at, used })

function describeCaller(
  row: PresentedKeyRow,
  terms: AccountTerms,
  { plans, now }: AdmissionContext,
  { billingLimit }: Presented,
): KeyCaller {
  const entitlement = entitlementAt(terms, plans, now)
  const { limits } = entitlement
  const stored = {
    minuteStartedAt: row.minute_started_at,
    minuteUsed: row.minute_used,
    day: row.day,
    dayUsed: row.day_used,
  }
  return {
    accountId: row.account_id,
    mode: row.mode,
    key: { id: row.key_id, name: row.key_name, counterKeyId: row.counter_key_id, budgets: budgetsOf(row) },
    userId: null,
    scopes: row.scopes as Scope[],
    entitlement,
    rate: {
      ...(billingLimit === 'billing_status' ? {} : requestWindowsAt(stored, limits, now)),
      ...(billingLimit ? hourlyWindow(billingLimit, row, limits, now) : {}),
    },
  }
}

function hourlyWindow(name: BillingLimit, row: PresentedKeyRow, limits: Limits, now: Date): RateWindows {
  const hour = { startedAt: row.hour_started_at, used: row.hour_used }
  return { [name]: rateWindowAt(name, hour, limits[`${name}_per_hour`], now) }
}

// The longest window comes first.
const limitsByLength: readonly CallLimit[] = [
  'requests_per_day',
  'billing_status',
  'billing_links',
  'requests_per_minute',
]

function rejectionReason(
  row: PresentedKeyRow,
  terms: AccountTerms,
  { rate }: KeyCaller,
  { now, billingPageOf }: AdmissionContext,
  { scope, billingLimit, messages }: Presented,
): Refusal | null {
  const { requests_per_minute: minute } = rate
  if (scope === null) {
    if (minute && minute.used + (messages ?? 1) > minute.limit) return messageLimitError(minute, messages ?? 1, now)
    return row.access_open ? null : accessRequiredError(terms, billingPageOf(row.account_id))
  }
  for (const name of limitsByLength) {
    const window: RateWindow | undefined = rate[name]
    if (window && window.used >= window.limit) return rateLimitError(name, window, now)
  }
  if (!row.access_open && !billingLimit) return accessRequiredError(terms, billingPageOf(row.account_id))
  if (!row.scopes.includes(scope)) return missingScopeError(scope)
  return null
}
