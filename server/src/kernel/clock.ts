/** Where a moment comes from. Passed in everywhere, so that tests and replays choose the time. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
