import { type AccountTerms, entitlementAt } from '../accounts/account.ts'
import type { Limits, PlanFile } from '../accounts/plans.ts'
import { toAccountTerms } from '../accounts/queries.ts'
import type { Queryable } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import { formatDay, utcDayAt } from '../kernel/time.ts'
import { admitStatusCheck } from './billing-window-queries.ts'
import { budgetsOf } from './budgets.ts'
import { accessRequiredError, type KeyCaller, missingScopeError, refuseUnusableKey, type Scope } from './caller.ts'
import { type AdmissionRow, admitLinkRequest, admitMessages, admitRequest } from './queries.ts'
import {
  type BillingLimit,
  type CallLimit,
  messageLimitError,
  planLimitsJson,
  type RateWindow,
  type RateWindows,
  rateLimitError,
  rateWindowAt,
} from './rate-limits.ts'

export interface AdmissionContext {
  db: Queryable
  now: Date
  plans: PlanFile
  /** The page on which a person restores an account's access. */
  billingPageOf(accountId: number): string
}

export interface Admission {
  /** The hash of the request's key. */
  secretHash: Buffer
  /** The account of the key. */
  accountId: number
  /** Null for what any key may do. */
  scope: Scope | null
  readSearchRows: boolean
  /** A billing call's own limit; such a call is also admitted without API access. */
  billingLimit?: BillingLimit
  /** How many messages to `/mcp` it is, instead of one request: they count to the minute alone. Needs no scope. */
  messages?: number
}

/**
 * The caller, and the error when the request is rejected. The caller's rate windows are known in both cases. `row` is what
 * was decided by.
 */
export type AdmissionResult = { caller: KeyCaller; error: ApiError | null; row: AdmissionRow }

/**
 * Decides whether a request may proceed: key, then limits, then API access, then scope. Counts an admitted request; a
 * rejected one changes nothing. Throws `ApiError` for an unknown or unusable key.
 */
export async function admit(ctx: AdmissionContext, admission: Admission): Promise<AdmissionResult> {
  // The row is read just before the request is counted. When it does not explain a rejection, read again.
  for (let attempt = 1; ; attempt++) {
    const row = await queryAdmission(ctx, admission)
    if (!row) throw unknownKeyError()
    refuseUnusableKey(row, ctx.now)
    const terms = toAccountTerms(row)
    const caller = describeCaller(row, terms, ctx, admission)
    if (row.counted || admission.messages === 0) return { caller, error: null, row }
    const error = rejectionReason(row, terms, caller, ctx, admission)
    if (error) return { caller, error, row }
    if (attempt >= 3) return { caller, error: crowdedError(caller.rate, ctx.now), row }
  }
}

export function unknownKeyError(): ApiError {
  return new ApiError('invalid_api_key', 'This API key does not exist.')
}

const requestLimits = ['requests_per_minute', 'requests_per_day'] as const
const linkLimits = [...requestLimits, 'billing_links_per_hour'] as const

/** Runs one statement, whichever limits the call counts towards. */
function queryAdmission(
  { db, now, plans }: AdmissionContext,
  { secretHash, accountId, scope, readSearchRows, billingLimit, messages }: Admission,
): Promise<AdmissionRow | undefined> {
  const day = formatDay(utcDayAt(now).start)
  if (scope === null) {
    const planLimits = planLimitsJson(plans, requestLimits)
    return admitMessages(db, { secretHash, accountId, now, day, messages: messages ?? 1, planLimitsJson: planLimits })
  }
  if (billingLimit === 'billing_status') {
    const planLimits = planLimitsJson(plans, ['billing_status_per_hour'])
    return admitStatusCheck(db, { secretHash, accountId, now, scope, planLimitsJson: planLimits })
  }
  const input = { secretHash, accountId, now, scope, day, readSearchRows }
  return billingLimit === 'billing_links'
    ? admitLinkRequest(db, { ...input, planLimitsJson: planLimitsJson(plans, linkLimits) })
    : admitRequest(db, { ...input, planLimitsJson: planLimitsJson(plans, requestLimits) })
}

function describeCaller(
  row: AdmissionRow,
  terms: AccountTerms,
  { plans, now }: AdmissionContext,
  { billingLimit }: Admission,
): KeyCaller {
  const entitlement = entitlementAt(terms, plans, now)
  const { limits, period } = entitlement
  const usedIn = (starts: Date[] | null | undefined, used: number[] | null | undefined) =>
    used?.[starts?.findIndex((start) => start.getTime() === period.start.getTime()) ?? -1] ?? 0
  return {
    accountId: row.account_id,
    mode: row.mode,
    key: {
      id: row.key_id,
      name: row.key_name,
      counterKeyId: row.counter_key_id,
      budgets: budgetsOf(row),
      searchRowsUsed: usedIn(row.key_rows_period_starts, row.key_rows_taken),
    },
    personId: null,
    scopes: row.scopes as Scope[],
    entitlement,
    rate: {
      ...(billingLimit === 'billing_status' ? {} : requestWindowsAt(row, limits, now)),
      ...(billingLimit ? hourlyWindow(billingLimit, row, limits, now) : {}),
    },
    searchRowsUsed: usedIn(row.rows_period_starts, row.rows_taken),
  }
}

/** The minute and the day of a request. */
export function requestWindowsAt(
  row: Pick<AdmissionRow, 'minute_started_at' | 'minute_used' | 'day' | 'day_used'>,
  limits: Limits,
  now: Date,
): RateWindows {
  const minute = { startedAt: row.minute_started_at, used: row.minute_used }
  const day = { startedAt: row.day ? new Date(row.day) : null, used: row.day_used }
  return {
    requests_per_minute: rateWindowAt('requests_per_minute', minute, limits.requests_per_minute, now),
    requests_per_day: rateWindowAt('requests_per_day', day, limits.requests_per_day, now),
  }
}

function hourlyWindow(name: BillingLimit, row: AdmissionRow, limits: Limits, now: Date): RateWindows {
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
  row: AdmissionRow,
  terms: AccountTerms,
  { rate }: KeyCaller,
  { now, billingPageOf }: AdmissionContext,
  { scope, billingLimit, messages }: Admission,
): ApiError | null {
  const { requests_per_minute: minute } = rate
  if (scope === null) {
    if (minute && minute.used + (messages ?? 1) > minute.limit) return messageLimitError(minute, messages ?? 1, now)
    return row.access_open ? null : accessRequiredError(terms, billingPageOf(row.account_id))
  }
  for (const name of limitsByLength) {
    const window = rate[name]
    if (window && window.used >= window.limit) return rateLimitError(name, window, now)
  }
  if (!row.access_open && !billingLimit) return accessRequiredError(terms, billingPageOf(row.account_id))
  if (!row.scopes.includes(scope)) return missingScopeError(scope)
  return null
}

/**
 * Three times in a row a window had room when read and none when counted: concurrent requests filled the shortest one.
 */
function crowdedError(rate: RateWindows, now: Date): ApiError {
  const [name, window] = Object.entries(rate)[0] as [CallLimit, RateWindow]
  return rateLimitError(name, window, now)
}
