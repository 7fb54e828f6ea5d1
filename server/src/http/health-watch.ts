import type { Logger } from 'pino'
import { type DatabaseHealth, HealthCheck } from '../db/health.ts'
import { describeCause } from './cause.ts'

/** Checks the database, and logs once when it stops being well and once when it is well again. */
export class HealthWatch {
  readonly #log: Logger
  readonly #check: HealthCheck
  #problem: string | null = null

  constructor({ log, databaseUrl }: { log: Logger; databaseUrl: string }) {
    this.#log = log
    this.#check = new HealthCheck({ url: databaseUrl, applicationName: 'storedex health' })
  }

  async check(): Promise<DatabaseHealth> {
    const health = await this.#check.run()
    this.#tellProblem(health)
    return health
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
}
