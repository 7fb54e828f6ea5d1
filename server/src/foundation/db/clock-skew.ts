import type { Clock } from '../kernel/time.ts'
import type { Queryable } from './pool.ts'

/** Far more than synchronised clocks differ, and well below what limits and links tolerate. */
const warnAfterSeconds = 10
/** A slower reply makes the measurement too inexact. */
const maxRoundTripMs = 2_000

/**
 * The seconds by which `clock` is ahead of the database's (negative when behind), exact to half the round trip. Null
 * when the round trip was too slow.
 */
async function readClockSkew(db: Queryable, clock: Clock): Promise<number | null> {
  const sentAtMs = clock.now().getTime()
  const startedAt = performance.now()
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now')
  const roundTripMs = performance.now() - startedAt
  if (roundTripMs > maxRoundTripMs) return null
  return (sentAtMs + roundTripMs / 2 - rows[0]!.now.getTime()) / 1000
}

/**
 * Warns when this server's clock differs from the database's. Servers that share a database count limits by their own
 * clocks, so a wrong clock counts separately from the others.
 */
export class ClockSkewMonitor {
  readonly #db: Queryable
  readonly #clock: Clock
  readonly #warn: (line: string) => void
  #skewSeconds: number | null = null

  constructor({ db, clock, warn }: { db: Queryable; clock: Clock; warn: (line: string) => void }) {
    this.#db = db
    this.#clock = clock
    this.#warn = warn
  }

  /** The last measurement; null before the first one. */
  get skewSeconds(): number | null {
    return this.#skewSeconds
  }

  /** Measures the skew, and warns when it has become too large. */
  async measure(): Promise<void> {
    const measured = await readClockSkew(this.#db, this.#clock)
    if (measured === null) return
    const wasOff = isOff(this.#skewSeconds)
    this.#skewSeconds = measured
    if (!isOff(measured) || wasOff) return
    const direction = measured > 0 ? 'ahead of' : 'behind'
    this.#warn(
      `the clock of this server is ${Math.round(Math.abs(measured))} s ${direction} the database's; rate limits and links need synchronised clocks`,
    )
  }
}

function isOff(skewSeconds: number | null): boolean {
  return skewSeconds !== null && Math.abs(skewSeconds) > warnAfterSeconds
}
