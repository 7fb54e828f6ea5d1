import { defaultScopes } from '../../../../../src/customers/auth/caller.ts'
import type { Mode } from './catalogue.ts'
import type { Entitlement } from './entitlement.ts'

/** A reply without what the model does not determine: request ids, messages, links and cursors. */
export interface Reply {
  /** The HTTP status, or the result of an operator's command. */
  status: number | 'done' | 'refused'
  body?: object
  headers?: Record<string, string>
  /** The reply must have the bytes of the reply to this request of the run. */
  replayOf?: number
}

export interface CallerKey {
  account: number
  mode: Mode
  id: string
  name: string
}

/** An observed reply, or the result of an operator's command. */
export interface Seen {
  status: Reply['status']
  headers: Record<string, string>
  body: Record<string, unknown>
  /** The bytes of the body. */
  text: string
}

export interface Counts {
  credits: number
  exports: number
  rows: number
  requests: number
  dayStart: number
}

export const moment = (ms: number) => new Date(ms).toISOString()

export function usage(entitlement: Entitlement, counts: Counts, key: CallerKey): Reply {
  const { limits, period, creditsPeriod, isTrial } = entitlement
  const bounds = ({ start, end }: { start: number; end: number }) => ({
    period_start: moment(start),
    period_end: moment(end),
  })
  const meter = (limit: number, used: number) => ({ limit, used, remaining: Math.max(0, limit - used) })
  const credits = meter(limits.contact_credits, counts.credits)
  const endsAt = entitlement.trialEndsAt === null ? null : moment(entitlement.trialEndsAt)
  return {
    status: 200,
    body: {
      object: 'usage',
      plan: {
        slug: entitlement.plan,
        name: entitlement.planName,
        status: entitlement.status,
        trial: { active: isTrial, ends_at: endsAt },
      },
      contact_credits: {
        total: credits.limit,
        used: credits.used,
        remaining: credits.remaining,
        paid_plan_total: entitlement.paidCredits,
        ...bounds(creditsPeriod),
      },
      store_exports: { ...meter(limits.store_exports, counts.exports), reserved: 0, ...bounds(period) },
      api_requests: {
        ...meter(limits.requests_per_day, counts.requests),
        ...bounds({ start: counts.dayStart, end: counts.dayStart + 86_400_000 }),
      },
      search_rows: { ...meter(limits.search_rows, counts.rows), ...bounds(period) },
      rate_limit: { limit: limits.requests_per_minute, interval: 'minute' },
      ...(isTrial ? { billing: trialAction(entitlement) } : {}),
      key: { id: key.id, name: key.name, mode: key.mode, scopes: defaultScopes },
    },
  }
}

function trialAction({ limits, paidCredits, trialEndsAt }: Entitlement) {
  return {
    can_unlock_paid_credits_now: false,
    action: 'end_trial_to_unlock_pro_credits',
    current_limit: limits.contact_credits,
    paid_plan_limit: paidCredits,
    trial_ends_at: trialEndsAt === null ? null : moment(trialEndsAt),
    url: 'a link',
  }
}

export function store(body: object, exportsLeft: number): Reply {
  return { status: 200, body, headers: { 'x-store-exports-remaining': String(exportsLeft) } }
}

export function page(data: object[], hasMore: boolean, exportsLeft: number, rowsLeft: number): Reply {
  return {
    status: 200,
    body: { object: 'list', data, has_more: hasMore, next_cursor: hasMore ? 'a cursor' : null },
    headers: { 'x-store-exports-remaining': String(exportsLeft), 'x-search-rows-remaining': String(rowsLeft) },
  }
}

export function reveal(data: object[], spent: number, creditsLeft: number, exportsLeft: number): Reply {
  return {
    status: 200,
    body: { object: 'contact_reveal_result', credits: { spent, remaining: creditsLeft }, data },
    headers: { 'x-contact-credits-remaining': String(creditsLeft), 'x-store-exports-remaining': String(exportsLeft) },
  }
}

function refuse(status: number, type: string, error: object, headers?: Record<string, string>): Reply {
  return { status, body: { error: { type, ...error } }, ...(headers ? { headers } : {}) }
}

export function limitReached(param: string, untilFreeMs: number): Reply {
  const error = { code: 'rate_limit_exceeded', param }
  const seconds = Math.max(1, Math.ceil(untilFreeMs / 1000))
  return refuse(429, 'rate_limit_error', error, { 'retry-after': String(seconds) })
}

/** Granted plans have no subscription to recover, so the reply offers a new one. */
export function accessClosed(): Reply {
  const billing = {
    action: 'create_subscription_link',
    url: 'a link',
    endpoint: '/api/v1/billing/subscription-link',
  }
  return refuse(403, 'permission_error', { code: 'api_access_required', billing })
}

export function insufficientCredits(entitlement: Entitlement): Reply {
  return refuse(402, 'quota_error', {
    code: 'insufficient_contact_credits',
    param: 'contact_ids',
    ...(entitlement.isTrial ? { billing: trialAction(entitlement) } : {}),
  })
}

export const notFound = (code: string) => refuse(404, 'not_found_error', { code })
export const invalidCursor = () => refuse(400, 'invalid_request_error', { code: 'invalid_cursor', param: 'cursor' })
export const idempotencyConflict = () => refuse(409, 'invalid_request_error', { code: 'idempotency_conflict' })
