import { type CallLimit, type RateWindow, type RateWindows, windowSeconds } from './rate-limits.ts'

type NamedWindow = [name: CallLimit, window: RateWindow]

/**
 * The limits that a call counts to as reply headers: the IETF draft fields (draft-ietf-httpapi-ratelimit-headers) for
 * all of them, and the older X-RateLimit fields for one: a full one, else a billing call's own hour, else the one with
 * the smaller share left.
 */
export function rateHeaders(rate: RateWindows, now: Date): Record<string, string> {
  const windows = Object.entries(rate) as NamedWindow[]
  const tightest = Object.values(rate).reduce((one, other) => (share(other) < share(one) ? other : one))
  const ownHour = rate.billing_status ?? rate.billing_links
  const told = ownHour && left(tightest) > 0 ? ownHour : tightest
  return {
    'ratelimit-policy': windows.map(([name, { limit }]) => `"${name}";q=${limit};w=${windowSeconds(name)}`).join(', '),
    ratelimit: windows.map(([name, window]) => `"${name}";r=${left(window)};t=${secondsLeft(window, now)}`).join(', '),
    'x-ratelimit-limit': String(told.limit),
    'x-ratelimit-remaining': String(left(told)),
    'x-ratelimit-reset': String(Math.ceil(told.endsAt.getTime() / 1000)),
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
