import { clockToleranceMs } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { figure } from '../kernel/format.ts'
import { utcDayAt } from '../kernel/time.ts'

/** A limit of billing calls, counted in an hour of its own. */
export type BillingLimit = 'billing_status' | 'billing_links'

/** A limit on how often is called, as refusals and reply headers name it. */
export type CallLimit = 'requests_per_minute' | 'requests_per_day' | BillingLimit

/** One fixed window of such a limit. */
export interface RateWindow {
  limit: number
  used: number
  startedAt: Date
  endsAt: Date
}

/** The windows of the limits that a call counts to. */
export type RateWindows = Partial<Record<CallLimit, RateWindow>>

/** How long a window lasts, and how a sentence names what is counted in it. */
const traitsOf: Record<CallLimit, { lengthMs: number; things: string; unit: string }> = {
  requests_per_minute: { lengthMs: 60_000, things: 'requests', unit: 'minute' },
  requests_per_day: { lengthMs: 86_400_000, things: 'requests', unit: 'day' },
  billing_status: { lengthMs: 3_600_000, things: 'billing status checks', unit: 'hour' },
  billing_links: { lengthMs: 3_600_000, things: 'billing links', unit: 'hour' },
}

/** A window as it is kept: null or missing where nothing was counted yet. */
interface StoredWindow {
  startedAt: Date | null | undefined
  used: number | null | undefined
}

/**
 * The window as stored, or a fresh one when there is none, its time is over, or it begins further ahead than clocks may be
 * apart. `isOpenSql` decides the same.
 */
export function windowAt(name: CallLimit, { startedAt, used }: StoredWindow, limit: number, now: Date): RateWindow {
  const { lengthMs } = traitsOf[name]
  const ageMs = startedAt ? now.getTime() - startedAt.getTime() : Number.POSITIVE_INFINITY
  const isOpen = startedAt && ageMs < lengthMs && ageMs >= -clockToleranceMs
  const start = isOpen ? startedAt : name === 'requests_per_day' ? utcDayAt(now).start : now
  return { limit, used: isOpen ? (used ?? 0) : 0, startedAt: start, endsAt: new Date(start.getTime() + lengthMs) }
}

export function windowSeconds(name: CallLimit): number {
  return traitsOf[name].lengthMs / 1000
}

/** The refusal of a call whose window is full. */
export function rateRefusal(name: CallLimit, window: RateWindow, now: Date): ApiError {
  const { things, unit } = traitsOf[name]
  const retryAfterSeconds = Math.max(1, Math.ceil((window.endsAt.getTime() - now.getTime()) / 1000))
  return new ApiError(
    'rate_limit_exceeded',
    `All ${figure(window.limit)} ${things} of this ${unit} are used; try again in ${figure(retryAfterSeconds)} seconds.`,
    { param: name, retryAfterSeconds },
  )
}
