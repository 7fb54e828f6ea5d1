import type { Clock } from '../kernel/time.ts'
import type { Queryable } from './pool.ts'

/** Far more than clocks that are kept in step differ by, and well below what limits and links bear. */
const noticedSeconds = 10
/** A reply that took longer says little about the moment it tells. */
const maxTripMs = 2_000

/**
 * How many seconds `clock` is ahead of the database's, behind when negative; exact to half the time the question took. Null
 * when that was too long to tell anything.
 */
async function readClockSkew(db: Queryable, clock: Clock): Promise<number | null> {
  const askedAtMs = clock.now().getTime()
  const startedAt = performance.now()
  const { rows } = await db.query<{ moment: Date }>('select clock_timestamp() as moment')
  const tripMs = performance.now() - startedAt
  if (tripMs > maxTripMs) return null
  return (askedAtMs + tripMs / 2 - rows[0]!.moment.getTime()) / 1000
}

/**
 * Notices when this server's clock is off from the database's: servers that share a database count limits by their own
 * clocks, so one that is off counts apart from the others.
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

  /** As measured last; null while it never was. */
  get skewSeconds(): number | null {
    return this.#skewSeconds
  }

  /** Measures, and warns when the clock has come to be off. */
  async measure(): Promise<void> {
    const measured = await readClockSkew(this.#db, this.#clock)
    if (measured === null) return
    const wasOff = isOff(this.#skewSeconds)
    this.#skewSeconds = measured
    if (!isOff(measured) || wasOff) return
    const direction = measured > 0 ? 'ahead of' : 'behind'
    this.#warn(
      `the clock of this server is ${Math.round(Math.abs(measured))} s ${direction} the database's; limits and links need them in step`,
    )
  }
}

function isOff(skewSeconds: number | null): boolean {
  return skewSeconds !== null && Math.abs(skewSeconds) > noticedSeconds
}
