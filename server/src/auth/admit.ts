import { type AccountTerms, entitlementAt } from '../accounts/account.ts'
import type { Limits, PlanFile } from '../accounts/plans.ts'
import { toAccountTerms } from '../accounts/queries.ts'
import type { Queryable } from '../db/pool.ts'
import { ApiError } from '../kernel/errors.ts'
import { formatDay, utcDayAt } from '../kernel/time.ts'
import { admitStatusCheck } from './billing-window-queries.ts'
import { accessRequiredError, type Caller, missingScopeError, refuseUnusableKey, type Scope } from './caller.ts'
import { type AdmissionRow, admitLinkRequest, admitRequest } from './queries.ts'
import {
  type BillingLimit,
  type CallLimit,
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
  /** Base of the links in a refusal that the account's owner can act on. */
  publicUrl: string
}

export interface Admission {
  /** Of the key that came with the request. */
  secretHash: Buffer
  scope: Scope
  readSearchRows: boolean
  /** A billing call's own limit; such a call is let in when access has lapsed, too. */
  billingLimit?: BillingLimit
}

/** A caller, or why there is none; a refusal after the key was accepted still knows whose windows to report. */
export type AdmissionResult = { caller: Caller; refusal: ApiError | null }

/**
 * Decides whether a request may go on: key, then limits, then API access, then scope. A request that is let through is
 * counted; one that is not leaves no trace. Throws `ApiError` while it is not known whose key it is.
 */
export async function admit(ctx: AdmissionContext, admission: Admission): Promise<AdmissionResult> {
  // A refusal is explained from figures read a moment before the count was decided; ask again when they do not explain it.
  for (let attempt = 1; ; attempt++) {
    const row = await askDatabase(ctx, admission)
    if (!row) throw unknownKeyError()
    refuseUnusableKey(row, ctx.now)
    const terms = toAccountTerms(row)
    const caller = describeCaller(row, terms, ctx, admission)
    if (row.counted) return { caller, refusal: null }
    const refusal = explainRefusal(row, terms, caller, ctx, admission)
    if (refusal) return { caller, refusal }
    if (attempt >= 3) return { caller, refusal: refuseCrowded(caller.rate, ctx.now) }
  }
}

export function unknownKeyError(): ApiError {
  return new ApiError('invalid_api_key', 'This API key does not exist.')
}

const requestLimits = ['requests_per_minute', 'requests_per_day'] as const
const linkLimits = [...requestLimits, 'billing_links_per_hour'] as const

/** One statement, whatever the call counts to. */
function askDatabase(
  { db, now, plans }: AdmissionContext,
  { secretHash, scope, readSearchRows, billingLimit }: Admission,
): Promise<AdmissionRow | undefined> {
  if (billingLimit === 'billing_status') {
    const planLimits = planLimitsJson(plans, ['billing_status_per_hour'])
    return admitStatusCheck(db, { secretHash, now, scope, planLimitsJson: planLimits })
  }
  const day = formatDay(utcDayAt(now).start)
  const question = { secretHash, now, scope, day, readSearchRows }
  return billingLimit === 'billing_links'
    ? admitLinkRequest(db, { ...question, planLimitsJson: planLimitsJson(plans, linkLimits) })
    : admitRequest(db, { ...question, planLimitsJson: planLimitsJson(plans, requestLimits) })
}

function describeCaller(
  row: AdmissionRow,
  terms: AccountTerms,
  { plans, now }: AdmissionContext,
  { billingLimit }: Admission,
): Caller {
  const entitlement = entitlementAt(terms, plans, now)
  const { limits, period } = entitlement
  const rowsPeriod = row.rows_period_starts?.findIndex((start) => start.getTime() === period.start.getTime()) ?? -1
  return {
    accountId: row.account_id,
    mode: row.mode,
    key: { id: row.key_id, name: row.key_name },
    entitlement,
    rate: {
      ...(billingLimit === 'billing_status' ? {} : requestWindows(row, limits, now)),
      ...(billingLimit ? hourlyWindow(billingLimit, row, limits, now) : {}),
    },
    searchRowsUsed: row.rows_taken?.[rowsPeriod] ?? 0,
  }
}

function requestWindows(row: AdmissionRow, limits: Limits, now: Date): RateWindows {
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

// What keeps the caller out for longest comes first.
const orderOfRefusals: readonly CallLimit[] = [
  'requests_per_day',
  'billing_status',
  'billing_links',
  'requests_per_minute',
]

function explainRefusal(
  row: AdmissionRow,
  terms: AccountTerms,
  { rate }: Caller,
  { now, publicUrl }: AdmissionContext,
  { scope, billingLimit }: Admission,
): ApiError | null {
  for (const name of orderOfRefusals) {
    const window = rate[name]
    if (window && window.used >= window.limit) return rateLimitError(name, window, now)
  }
  if (!row.access_open && !billingLimit) return accessRequiredError(terms, publicUrl)
  if (!row.scopes.includes(scope)) return missingScopeError(scope)
  return null
}

/** Room was found free and was gone, three times in a row: others crowd the first, the shortest window. */
function refuseCrowded(rate: RateWindows, now: Date): ApiError {
  const [name, window] = Object.entries(rate)[0] as [CallLimit, RateWindow]
  return rateLimitError(name, window, now)
}
