import { withTimeout } from '@storedex/work'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type DatabaseHealth, DatabaseHealthCheck } from '../db/health.ts'
import { Refusal } from '../kernel/errors.ts'
import { describeCause } from '../runtime/logger.ts'
import type { GaugeSource } from './metrics.ts'

/** Resolves to null when requests can be answered, otherwise to a sentence that gives the reason. May throw. */
export type ReadinessCheck = () => Promise<string | null>

/** A check that takes longer fails. Its parts have shorter timeouts and report more detail. */
const checkTimeoutMs = 5_000
/** Probes within this time share one result, so that many probes cost no more than one. */
const cachedMs = 1_000

/** Returns further fields for the reply of a ready process. */
export type ReadinessDetails = () => object

/**
 * Serves, without a key, `GET /healthz` (the process is alive) and `GET /readyz` (it can answer requests, or why not).
 */
export function registerHealthRoutes(
  app: FastifyInstance,
  checkReadiness: ReadinessCheck,
  readDetails: ReadinessDetails = () => ({}),
): void {
  const route = { config: { servesWhileDraining: true }, schema: { hide: true } }
  const check = cacheResult(() => runCheck(checkReadiness))
  app.get('/healthz', route, async () => ({ status: 'ok' }))
  app.get('/readyz', route, async () => {
    if (app.drain.isDraining) throw new Refusal('service_unavailable', 'The server is shutting down.')
    const reason = await check()
    if (reason !== null) throw new Refusal('service_unavailable', reason)
    return { status: 'ready', ...readDetails() }
  })
}

/** Runs at most one check at a time, and none while the last result is fresh. */
function cacheResult(check: ReadinessCheck): ReadinessCheck {
  let result: Promise<string | null> | undefined
  let freshUntil = 0
  return () => {
    if (!result || performance.now() >= freshUntil) {
      freshUntil = Number.POSITIVE_INFINITY
      result = check().finally(() => {
        freshUntil = performance.now() + cachedMs
      })
    }
    return result
  }
}

async function runCheck(checkReadiness: ReadinessCheck): Promise<string | null> {
  try {
    const timeoutMessage = `The readiness check took longer than ${checkTimeoutMs / 1000} s.`
    return await withTimeout(checkReadiness(), checkTimeoutMs, () => timeoutMessage)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('service_unavailable', 'The readiness check failed.', { cause: error })
  }
}

/** Checks the database, and logs once when it becomes unhealthy and once when it recovers. */
export class DatabaseHealthMonitor {
  readonly #log: Logger
  readonly #check: DatabaseHealthCheck
  #problem: string | null = null
  #isReady: boolean | null = null

  constructor({ log, databaseUrl }: { log: Logger; databaseUrl: string }) {
    this.#log = log
    this.#check = new DatabaseHealthCheck({ url: databaseUrl, applicationName: 'storedex health' })
  }

  async check(): Promise<DatabaseHealth> {
    const health = await this.#check.run()
    this.#isReady = health.problem === null
    this.#logChange(health)
    return health
  }

  close(): void {
    this.#check.close()
  }

  gauges(): GaugeSource[] {
    return [
      {
        name: 'storedex_database_ready',
        help: '1 if the database answered and could be written when it was last checked, else 0.',
        // A worker that cannot use it is what matters.
        aggregate: 'min',
        read: () => (this.#isReady === null ? [] : [{ value: this.#isReady ? 1 : 0 }]),
      },
    ]
  }

  #logChange({ problem, cause }: DatabaseHealth): void {
    if (problem === this.#problem) return
    this.#problem = problem
    if (problem === null) this.#log.info('the database can be used again')
    else this.#log.error({ cause: describeCause(cause) }, problem)
  }
}
