/** Where a moment comes from. Passed in everywhere, so that tests and replays choose the time. */
export interface Clock {
  now(): Date
}

/**
 * How far clocks of servers may be apart. A stored moment that lies further ahead was written by a clock that was wrong, and
 * must not bind anybody until that moment comes.
 */
export const clockToleranceMs = 60_000

export const systemClock: Clock = { now: () => new Date() }
