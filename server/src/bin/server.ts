import { isIPv6 } from 'node:net'
import type { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { ClockSkewMonitor } from '../db/clock-skew.ts'
import { isLedgerAppendOnly } from '../db/grants.ts'
import { recordServiceUrl } from '../db/installation.ts'
import { clearTextWarning } from '../db/tls.ts'
import { type Deps, openDeps } from '../deps.ts'
import {
  createMetrics,
  type Metrics,
  registerConnectionMetrics,
  registerCounters,
  registerGauges,
  startMetricsServer,
} from '../http/metrics.ts'
import { startImportInThread } from '../import-jobs/run/thread.ts'
import { readInThread } from '../imports/threads/read-in-thread.ts'
import { availableMemory } from '../runtime/memory.ts'
import { createProcessLogger, type ProcessLogger } from '../runtime/terminal-log.ts'
import { type RepeatingTask, startRepeating } from '../runtime/timing.ts'
import { countInThreads } from '../search/counting/thread-pool.ts'
import { runInThread } from '../search/replica/thread.ts'
import { searchGauges } from '../search/status.ts'
import { type DemoKeys, prepareCatalogueAndKeys } from './demo-keys.ts'
import { createDemoLink } from './demo-person.ts'
import { createGreeting, formatGreeting, type Greeting } from './greeting.ts'
import { chooseFreePort, portTakenError } from './port.ts'
import { handleUncaughtErrors, requireMemory } from './process.ts'
import { standinProgram, threadProgram } from './programs.ts'
import { rejectOnAbort } from './termination.ts'

const clockCheckIntervalMs = 60_000

export interface ServeOptions {
  json: boolean
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
  termination: AbortSignal
}

/**
 * Runs the service until `termination`, then shuts down in order: running requests finish, the listeners close,
 * resources are released. An uncaught defect shuts down in the same order and is thrown.
 */
export async function serve(given: Config, { json, stdout, stderr, termination }: ServeOptions): Promise<void> {
  const failing = new AbortController()
  const logger = createProcessLogger({ level: given.logLevel, isLevelGiven: given.isLogLevelGiven, stderr })
  handleUncaughtErrors(logger.log, (error) => failing.abort(error))
  const stop = AbortSignal.any([termination, failing.signal])
  try {
    await runPhases(given, logger, stop, (greeting, keys) => {
      const isTerminal = stdout.isTTY === true
      stdout.write(`${json ? JSON.stringify(greeting) : formatGreeting(greeting, keys, { isTerminal })}\n`)
    })
  } catch (error) {
    if (!stop.aborted) throw error
  }
  if (failing.signal.aborted) throw failing.signal.reason
}

type Greet = (greeting: Greeting, keys: DemoKeys | null) => void

async function runPhases(
  given: Config,
  { log, isForPerson }: ProcessLogger,
  stop: AbortSignal,
  greet: Greet,
): Promise<void> {
  requireMemory(given, availableMemory())
  const config = withAddress(given, await chooseFreePort(given))
  const deps = await openDeps(config, {
    applicationName: 'storedex',
    log,
    standin: { args: standinProgram(config.projectDir), webhookUrl: webhookUrlAt(config) },
    startReplica: runInThread(threadProgram('search-thread')),
    startCounting: countInThreads(threadProgram('count-thread')),
    startImport: startImportInThread(threadProgram('import-thread')),
    startReading: readInThread(threadProgram('reading-thread')),
  })
  try {
    stop.throwIfAborted()
    if (!(await isLedgerAppendOnly(deps.db, null)))
      deps.log.info('the ledger is not append-only: the role in DATABASE_URL has the right to change it')
    const keys = await rejectOnAbort(stop, prepareCatalogueAndKeys({ ...deps, db: deps.ownerDb }))
    const warnings = [clearTextWarning(given.databaseUrl)].filter((warning) => warning !== null)
    // The greeting tells a person.
    if (!isForPerson) for (const warning of warnings) deps.log.warn(warning)
    const metrics = createMetrics(() => deps.db.stats)
    registerGauges(metrics, searchGauges(deps.search))
    const clockMonitoring = monitorClock(deps, metrics)
    const metricsServer = await serveMetrics(given, metrics)
    try {
      const { app, config } = await listen(given, deps, metrics)
      try {
        await recordServiceUrl(deps.ownerDb, config.publicUrl)
        const consoleLink = given.demo ? await createDemoLink(deps, config.publicUrl) : null
        const billing = await describeBilling(deps)
        greet(createGreeting(config, { wantedPort: given.port, keys, consoleLink, billing, warnings }), keys)
        await rejectOnAbort(stop, new Promise<never>(() => {}))
      } finally {
        await app.close()
      }
    } finally {
      await metricsServer?.close()
      await clockMonitoring.stop()
    }
  } finally {
    await deps.close()
  }
}

/** Starts the app on its port. A port that was free a moment ago may be taken by now; then another one is chosen. */
async function listen(
  given: Config,
  deps: Deps,
  metrics: Metrics,
): Promise<{ app: FastifyInstance; config: AddressedConfig }> {
  for (let config = withAddress(given, deps.config.port); ; ) {
    const app = await buildApp({ ...deps, config }, [metrics.observe])
    try {
      await app.listen({ host: config.host, port: config.port })
      await deps.standin?.changeWebhookUrl(webhookUrlAt(config))
      registerConnectionMetrics(metrics, app)
      registerGauges(metrics, app.exportRunner.gauges())
      registerCounters(metrics, app.toolCalls.counters())
      return { app, config }
    } catch (error) {
      await app.close()
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      config = withAddress(given, await chooseFreePort(given))
    }
  }
}

async function serveMetrics({ metricsHost, metricsPort }: Config, { registry }: Metrics) {
  if (metricsPort === null) return undefined
  try {
    return await startMetricsServer({ host: metricsHost, port: metricsPort, registry })
  } catch (cause) {
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE'
    throw isTaken ? portTakenError(metricsPort, 'METRICS_PORT') : cause
  }
}

/** Monitors the difference between this server's clock and the database's, for log and metrics. */
function monitorClock({ db, clock, log }: Deps, metrics: Metrics): RepeatingTask {
  const monitor = new ClockSkewMonitor({ db, clock, warn: (line) => log.warn(line) })
  registerGauges(metrics, [
    {
      name: 'storedex_clock_skew_seconds',
      help: "How far this server's clock is ahead of the database's; negative when behind.",
      read: () => (monitor.skewSeconds === null ? [] : [{ value: monitor.skewSeconds }]),
    },
  ])
  // The health check reports an unavailable database.
  return startRepeating(() => monitor.measure(), { intervalMs: clockCheckIntervalMs, onOutage: () => {} })
}

type AddressedConfig = Config & { publicUrl: string }

/** Sets `publicUrl`, the base of links: PUBLIC_URL, or the address listened on. */
function withAddress(given: Config, port: number): AddressedConfig {
  return { ...given, port, publicUrl: given.publicUrl ?? `http://${localName(given.host)}:${port}` }
}

/** Where the stand-in sends its events: the local address, whatever PUBLIC_URL is. */
function webhookUrlAt({ host, port }: Config): string {
  return `http://${localName(host)}:${port}/webhooks/stripe`
}

/** Describes the payment provider in one line. */
async function describeBilling({ config: { stripe, billingStandin }, standin }: Deps): Promise<string> {
  if (stripe.secretKey !== null)
    return /_test_/.test(stripe.secretKey) ? 'Stripe in test mode, no money moves' : 'Stripe'
  if (!standin) {
    const reason = billingStandin === false ? 'BILLING_STANDIN is 0' : 'others can reach the service'
    return `closed, because ${reason} and no Stripe key is set; set STRIPE_SECRET_KEY, or BILLING_STANDIN=1 to try it without money`
  }
  const address = await standin.address()
  return address ? `local stand-in at ${address}, no money moves` : 'the local stand-in is not running; see the log'
}

/** The host to connect to from this machine: a wildcard address is none. */
function localName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}
