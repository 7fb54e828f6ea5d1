import type { Logger } from 'pino'
import { type DatabaseHealth, HealthCheck } from '../db/health.ts'
import type { Clock } from '../kernel/clock.ts'
import { describeCause } from './cause.ts'

/** Clocks that differ by more than this make limits and periods differ between servers. */
const toleratedSkewMs = 30_000

/** Checks the database, and logs once when it stops being well, when it is well again, and when the clocks disagree. */
export class HealthWatch {
  readonly #log: Logger
  readonly #check: HealthCheck
  #problem: string | null = null
  #clockAheadMs: number | null = null
  #isSkewed = false

  constructor({ log, clock, databaseUrl }: { log: Logger; clock: Clock; databaseUrl: string }) {
    this.#log = log
    this.#check = new HealthCheck({
      url: databaseUrl,
      applicationName: 'storedex health',
      readClock: () => clock.now(),
    })
  }

  async check(): Promise<DatabaseHealth> {
    const health = await this.#check.run()
    this.#tellProblem(health)
    this.#clockAheadMs = health.clockAheadMs
    if (health.clockAheadMs !== null) this.#tellSkew(health.clockAheadMs)
    return health
  }

  /** How far the database's clock was ahead at the last check, in seconds; null when that is not known. */
  get clockSkewSeconds(): number | null {
    return this.#clockAheadMs === null ? null : this.#clockAheadMs / 1000
  }

  close(): void {
    this.#check.close()
  }

  #tellProblem({ problem, cause }: DatabaseHealth): void {
    if (problem === this.#problem) return
    this.#problem = problem
    if (problem === null) this.#log.info('the database can be used again')
    else this.#log.error({ cause: describeCause(cause) }, problem)
  }

  #tellSkew(clockAheadMs: number): void {
    const isSkewed = Math.abs(clockAheadMs) > toleratedSkewMs
    if (isSkewed === this.#isSkewed) return
    this.#isSkewed = isSkewed
    const skew = { clock_skew_seconds: Math.round(clockAheadMs / 1000) }
    if (isSkewed) this.#log.warn(skew, "this server's clock and the database's clock differ; correct the wrong one")
    else this.#log.info(skew, "this server's clock and the database's clock agree again")
  }
}
