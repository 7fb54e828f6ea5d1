import { type AccountTerms, canRecoverSubscription, entitlementAt } from '../accounts/account.ts'
import type { Limits, PlanFile } from '../accounts/plans.ts'
import { termsOf } from '../accounts/queries.ts'
import type { Queryable } from '../db/pool.ts'
import { hashApiKey, parseApiKey } from '../kernel/api-key.ts'
import { type ApiAccessBillingAction, ApiError } from '../kernel/errors.ts'
import { figure, isoDay } from '../kernel/format.ts'
import { utcDayAt } from '../kernel/period.ts'
import type { Caller, RateWindow } from './caller.ts'
import { type AdmissionRow, admitRequest } from './queries.ts'
import type { Scope } from './scopes.ts'

export interface AdmissionContext {
  db: Queryable
  now: Date
  plans: PlanFile
  /** Base of the links in a refusal that the account's owner can act on. */
  publicUrl: string
}

export interface Admission {
  /** The `Authorization` header as it came. */
  authorization: string | undefined
  scope: Scope
  readSearchRows: boolean
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** A caller, or why there is none; a refusal after the key was accepted still knows whose windows to report. */
export type AdmissionResult = { caller: Caller; refusal: ApiError | null }

/**
 * Decides whether a request may go on: key, then limits, then API access, then scope. A request that is let through is
 * counted; one that is not leaves no trace. Throws `ApiError` while it is not known whose key it is.
 */
export async function admit(ctx: AdmissionContext, admission: Admission): Promise<AdmissionResult> {
  const secretHash = readBearerKey(admission.authorization)
  const { start } = utcDayAt(ctx.now)
  const request = {
    secretHash,
    now: ctx.now,
    day: isoDay(start),
    scope: admission.scope,
    planLimitsJson: planLimitsJson(ctx.plans),
    readSearchRows: admission.readSearchRows,
  }
  // A refusal is explained from figures read a moment before the count was decided; ask again when they do not explain it.
  for (let attempt = 1; ; attempt++) {
    const row = await admitRequest(ctx.db, request)
    if (!row) throw new ApiError('invalid_api_key', 'This API key does not exist.')
    refuseUnusableKey(row, ctx.now)
    const terms = termsOf(row)
    const caller = describeCaller(row, terms, ctx)
    if (row.counted) return { caller, refusal: null }
    const refusal = explainRefusal(row, terms, caller, ctx, admission.scope)
    if (refusal) return { caller, refusal }
    if (attempt >= 3) return { caller, refusal: rateRefusal('requests_per_minute', caller.rate.minute, ctx.now) }
  }
}

function readBearerKey(authorization: string | undefined): Buffer {
  if (!authorization)
    throw new ApiError('missing_api_key', 'Send your API key in the header "Authorization: Bearer <key>".')
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (!key || !parseApiKey(key)) throw new ApiError('invalid_api_key', 'This is not a Storedex API key.')
  return hashApiKey(key)
}

function refuseUnusableKey(row: AdmissionRow, now: Date): void {
  if (row.revoked_at) throw new ApiError('revoked_api_key', 'This API key was revoked.')
  if (row.suspended_at) throw new ApiError('suspended_api_key', 'This API key is suspended.')
  if (row.expires_at && row.expires_at <= now)
    throw new ApiError('expired_api_key', `This API key expired on ${isoDay(row.expires_at)}.`)
}

function describeCaller(row: AdmissionRow, terms: AccountTerms, ctx: AdmissionContext): Caller {
  const entitlement = entitlementAt(terms, ctx.plans, ctx.now)
  const { limits, period } = entitlement
  const rowsPeriod = row.rows_period_starts?.findIndex((start) => start.getTime() === period.start.getTime()) ?? -1
  return {
    accountId: row.account_id,
    mode: row.mode,
    key: { id: row.key_id, name: row.key_name },
    entitlement,
    rate: {
      minute: windowAt(row.minute_started_at, row.minute_used, limits.requests_per_minute, minuteMs, ctx.now),
      day: windowAt(row.day && new Date(row.day), row.day_used, limits.requests_per_day, dayMs, ctx.now),
    },
    searchRowsUsed: row.rows_taken?.[rowsPeriod] ?? 0,
  }
}

/** The window as stored, or a fresh one when there is none or its time is over. */
function windowAt(
  startedAt: Date | null | '',
  used: number | null,
  limit: number,
  lengthMs: number,
  now: Date,
): RateWindow {
  if (startedAt && startedAt.getTime() + lengthMs > now.getTime())
    return { limit, used: used ?? 0, startedAt, endsAt: new Date(startedAt.getTime() + lengthMs) }
  const start = lengthMs === dayMs ? utcDayAt(now).start : now
  return { limit, used: 0, startedAt: start, endsAt: new Date(start.getTime() + lengthMs) }
}

function explainRefusal(
  row: AdmissionRow,
  terms: AccountTerms,
  caller: Caller,
  ctx: AdmissionContext,
  scope: Scope,
): ApiError | null {
  const { minute, day } = caller.rate
  if (day.used >= day.limit) return rateRefusal('requests_per_day', day, ctx.now)
  if (minute.used >= minute.limit) return rateRefusal('requests_per_minute', minute, ctx.now)
  if (!row.access_open) return accessRefusal(terms, ctx.publicUrl)
  if (!row.scopes.includes(scope))
    return new ApiError('insufficient_scope', `This API key lacks the scope ${scope}.`, { param: scope })
  return null
}

function rateRefusal(param: 'requests_per_minute' | 'requests_per_day', window: RateWindow, now: Date): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil((window.endsAt.getTime() - now.getTime()) / 1000))
  const unit = param === 'requests_per_minute' ? 'minute' : 'day'
  return new ApiError(
    'rate_limit_exceeded',
    `All ${figure(window.limit)} requests of this ${unit} are used; try again in ${retryAfterSeconds} seconds.`,
    { param, retryAfterSeconds },
  )
}

function accessRefusal(terms: AccountTerms, publicUrl: string): ApiError {
  const billing: ApiAccessBillingAction = canRecoverSubscription(terms)
    ? {
        action: 'manage_billing',
        url: `${publicUrl}/api/v1/billing/portal-link`,
        endpoint: '/api/v1/billing/portal-link',
      }
    : {
        action: 'create_subscription_link',
        url: `${publicUrl}/api/v1/billing/subscription-link`,
        endpoint: '/api/v1/billing/subscription-link',
      }
  return new ApiError(
    'api_access_required',
    `This account has no active paid plan (status ${terms.status}); renew it to use the API.`,
    { billing },
  )
}

const planLimitsCache = new WeakMap<PlanFile, string>()

/** The request limits of every plan, in and out of a trial, as the admission statement reads them. */
function planLimitsJson(plans: PlanFile): string {
  const known = planLimitsCache.get(plans)
  if (known) return known
  const figures: Record<string, Pick<Limits, 'requests_per_minute' | 'requests_per_day'>> = {}
  for (const [slug, plan] of Object.entries(plans.plans)) {
    const trial = { ...plan.limits, ...plans.trial }
    for (const [name, limits] of [
      [slug, plan.limits],
      [`trial:${slug}`, trial],
    ] as const)
      figures[name] = { requests_per_minute: limits.requests_per_minute, requests_per_day: limits.requests_per_day }
  }
  const json = JSON.stringify(figures)
  planLimitsCache.set(plans, json)
  return json
}
