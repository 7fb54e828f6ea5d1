import type { Clock } from '../../src/kernel/time.ts'

interface ManualClock extends Clock {
  advance(ms: number): void
  set(moment: Date | string): void
}

/** Creates a clock that moves only when it is set or advanced. */
export function createManualClock(start: Date | string): ManualClock {
  let nowMs = new Date(start).getTime()
  return {
    // A new object each time: a caller that changes its Date does not change the clock.
    now: () => new Date(nowMs),
    advance(ms) {
      nowMs += ms
    },
    set(moment) {
      nowMs = new Date(moment).getTime()
    },
  }
}
