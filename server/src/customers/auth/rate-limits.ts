import { Refusal } from '../../foundation/kernel/errors.ts'
import { clockToleranceMs, formatNumber, utcDayAt } from '../../foundation/kernel/time.ts'
import type { Limits } from '../accounts/plans.ts'

/** A limit of billing calls, counted per hour. */
export type BillingLimit = 'billing_status' | 'billing_links'

/** A rate limit, as errors and reply headers name it. */
export type CallLimit = 'requests_per_minute' | 'requests_per_day' | BillingLimit

/** One fixed window of a rate limit. */
export interface RateWindow {
  limit: number
  used: number
  startedAt: Date
  endsAt: Date
}

/** The windows that a call counts towards. */
export type RateWindows = Partial<Record<CallLimit, RateWindow>>

/** The length of each window, and its words in messages. */
const windowTraits: Record<CallLimit, { lengthMs: number; things: string; unit: string }> = {
  requests_per_minute: { lengthMs: 60_000, things: 'requests', unit: 'minute' },
  requests_per_day: { lengthMs: 86_400_000, things: 'requests', unit: 'day' },
  billing_status: { lengthMs: 3_600_000, things: 'billing status checks', unit: 'hour' },
  billing_links: { lengthMs: 3_600_000, things: 'billing links', unit: 'hour' },
}

/** A stored window; null or missing when nothing was counted yet. */
interface StoredWindow {
  startedAt: Date | null | undefined
  used: number | null | undefined
}

/**
 * The stored window, or a new one when there is none, it is over, or it starts further ahead than clocks may differ.
 * `isWindowOpenSql` decides the same.
 */
export function rateWindowAt(name: CallLimit, { startedAt, used }: StoredWindow, limit: number, now: Date): RateWindow {
  const { lengthMs } = windowTraits[name]
  const ageMs = startedAt ? now.getTime() - startedAt.getTime() : Number.POSITIVE_INFINITY
  const isOpen = startedAt && ageMs < lengthMs && ageMs >= -clockToleranceMs
  const start = isOpen ? startedAt : name === 'requests_per_day' ? utcDayAt(now).start : now
  return { limit, used: isOpen ? (used ?? 0) : 0, startedAt: start, endsAt: new Date(start.getTime() + lengthMs) }
}

function windowSeconds(name: CallLimit): number {
  return windowTraits[name].lengthMs / 1000
}

function secondsUntilEnd({ endsAt }: RateWindow, now: Date): number {
  return Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000))
}

/** The error of messages for which the minute has no room. */
export function messageLimitError(window: RateWindow, messages: number, now: Date): Refusal {
  if (window.used >= window.limit || messages === 1) return rateLimitError('requests_per_minute', window, now)
  const retryAfterSeconds = secondsUntilEnd(window, now)
  return new Refusal(
    'rate_limit_exceeded',
    `${formatNumber(messages)} messages count to the minute, which has ${formatNumber(window.limit - window.used)} of ${formatNumber(window.limit)} requests left; send fewer, or try again in ${formatNumber(retryAfterSeconds)} seconds.`,
    { param: 'requests_per_minute', retryAfterSeconds },
  )
}

/** The error of a call whose window is full. */
export function rateLimitError(name: CallLimit, window: RateWindow, now: Date): Refusal {
  const { things, unit } = windowTraits[name]
  const retryAfterSeconds = secondsUntilEnd(window, now)
  return new Refusal(
    'rate_limit_exceeded',
    `All ${formatNumber(window.limit)} ${things} of this ${unit} are used; try again in ${formatNumber(retryAfterSeconds)} seconds.`,
    { param: name, retryAfterSeconds },
  )
}

/** The minute and the day of a request, from what is stored. */
export function requestWindowsAt(
  { minuteStartedAt, minuteUsed, day, dayUsed }: StoredRequestWindows,
  limits: Limits,
  now: Date,
): RateWindows {
  const minute = { startedAt: minuteStartedAt, used: minuteUsed }
  const ofDay = { startedAt: day ? new Date(day) : null, used: dayUsed }
  return {
    requests_per_minute: rateWindowAt('requests_per_minute', minute, limits.requests_per_minute, now),
    requests_per_day: rateWindowAt('requests_per_day', ofDay, limits.requests_per_day, now),
  }
}

/** Null where nothing was counted yet. */
interface StoredRequestWindows {
  minuteStartedAt: Date | null
  minuteUsed: number | null
  /** YYYY-MM-DD. */
  day: string | null
  dayUsed: number | null
}

/**
 * Reply headers for the limits of a call: the IETF draft fields (draft-ietf-httpapi-ratelimit-headers) for all of them,
 * and the older X-RateLimit fields for one: a full one, else the hour of a billing call, else the one with the smallest
 * remaining share.
 */
export function rateHeaders(rate: RateWindows, now: Date): Record<string, string> {
  let policy = ''
  let left = ''
  let tightest: RateWindow | undefined
  for (const key in rate) {
    const name = key as CallLimit
    const window = rate[name]!
    const separator = tightest ? ', ' : ''
    policy += `${separator}"${name}";q=${window.limit};w=${windowSeconds(name)}`
    left += `${separator}"${name}";r=${remaining(window)};t=${secondsUntilReset(window, now)}`
    if (!tightest || remainingShare(window) < remainingShare(tightest)) tightest = window
  }
  if (!tightest) return {}
  const ownHour = rate.billing_status ?? rate.billing_links
  const shown = ownHour && remaining(tightest) > 0 ? ownHour : tightest
  return {
    'ratelimit-policy': policy,
    ratelimit: left,
    'x-ratelimit-limit': String(shown.limit),
    'x-ratelimit-remaining': String(remaining(shown)),
    'x-ratelimit-reset': String(Math.ceil(shown.endsAt.getTime() / 1000)),
  }
}

function remaining(window: RateWindow): number {
  return Math.max(0, window.limit - window.used)
}

function remainingShare(window: RateWindow): number {
  return window.limit === 0 ? 0 : remaining(window) / window.limit
}

function secondsUntilReset(window: RateWindow, now: Date): number {
  return Math.max(0, Math.ceil((window.endsAt.getTime() - now.getTime()) / 1000))
}
