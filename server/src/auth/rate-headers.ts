import type { Caller, RateWindow } from './caller.ts'

/**
 * The request limits as reply headers: the IETF draft fields (draft-ietf-httpapi-ratelimit-headers) for both windows,
 * and the older X-RateLimit fields for the one with the smaller share left.
 */
export function rateHeaders({ minute, day }: Caller['rate'], now: Date): Record<string, string> {
  const tighter = share(minute) <= share(day) ? minute : day
  return {
    'ratelimit-policy': `"requests_per_minute";q=${minute.limit};w=60, "requests_per_day";q=${day.limit};w=86400`,
    ratelimit: `"requests_per_minute";r=${left(minute)};t=${secondsLeft(minute, now)}, "requests_per_day";r=${left(day)};t=${secondsLeft(day, now)}`,
    'x-ratelimit-limit': String(tighter.limit),
    'x-ratelimit-remaining': String(left(tighter)),
    'x-ratelimit-reset': String(Math.ceil(tighter.endsAt.getTime() / 1000)),
  }
}

function left(window: RateWindow): number {
  return Math.max(0, window.limit - window.used)
}

function share(window: RateWindow): number {
  return window.limit === 0 ? 0 : left(window) / window.limit
}

function secondsLeft(window: RateWindow, now: Date): number {
  return Math.max(0, Math.ceil((window.endsAt.getTime() - now.getTime()) / 1000))
}
