import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type DatabaseHealth, DatabaseHealthCheck } from '../db/health.ts'
import { ApiError } from '../kernel/errors.ts'
import { describeCause } from '../runtime/logger.ts'

/** Resolves to null when requests can be answered, else to a sentence that says why not. It may also throw. */
export type ReadinessCheck = () => Promise<string | null>

/** A check that takes longer has failed. Its own parts give up before that, and say more. */
const checkTimeoutMs = 5_000
/** One outcome serves everybody who asks within this time, so that a flood of questions costs no more than one. */
const cachedMs = 1_000

/** What a ready process tells of how it answers. */
export type ReadinessDetails = () => object

/** `GET /healthz`: the process is alive. `GET /readyz`: it can answer now, or why not. For machines, without a key. */
export function registerHealthRoutes(
  app: FastifyInstance,
  checkReadiness: ReadinessCheck,
  tellDetails: ReadinessDetails = () => ({}),
): void {
  const route = { config: { servesWhileDraining: true }, schema: { hide: true } }
  const check = shareOutcome(() => withinTime(checkReadiness))
  app.get('/healthz', route, async () => ({ status: 'ok' }))
  app.get('/readyz', route, async () => {
    if (app.drain.isDraining) throw new ApiError('service_unavailable', 'The server is shutting down.')
    const reason = await check()
    if (reason !== null) throw new ApiError('service_unavailable', reason)
    return { status: 'ready', ...tellDetails() }
  })
}

/** At most one check at a time, and none while the last outcome is fresh. */
function shareOutcome(check: ReadinessCheck): ReadinessCheck {
  let outcome: Promise<string | null> | undefined
  let freshUntil = 0
  return () => {
    if (!outcome || performance.now() >= freshUntil) {
      freshUntil = Number.POSITIVE_INFINITY
      outcome = check().finally(() => {
        freshUntil = performance.now() + cachedMs
      })
    }
    return outcome
  }
}

async function withinTime(checkReadiness: ReadinessCheck): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, checkTimeoutMs, `The readiness check took longer than ${checkTimeoutMs / 1000} s.`)
  })
  try {
    return await Promise.race([checkReadiness(), timeout])
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('service_unavailable', 'The readiness check failed.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** Checks the database, and logs once when it stops being well and once when it is well again. */
export class DatabaseHealthMonitor {
  readonly #log: Logger
  readonly #check: DatabaseHealthCheck
  #problem: string | null = null

  constructor({ log, databaseUrl }: { log: Logger; databaseUrl: string }) {
    this.#log = log
    this.#check = new DatabaseHealthCheck({ url: databaseUrl, applicationName: 'storedex health' })
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
