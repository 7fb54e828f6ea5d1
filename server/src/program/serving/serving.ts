import { isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { startImportInThread } from '../../catalogue/import-jobs/run/thread.ts'
import { inspectInThread } from '../../catalogue/imports/threads/inspect-in-thread.ts'
import { readInThread } from '../../catalogue/imports/threads/read-in-thread.ts'
import { ClockSkewMonitor } from '../../foundation/db/clock-skew.ts'
import {
  type Metrics,
  registerConnectionMetrics,
  registerCounters,
  registerGauges,
  registerLogMetrics,
} from '../../foundation/http/metrics.ts'
import { type RepeatingTask, startRepeating } from '../../foundation/runtime/timing.ts'
import type { Config } from '../../operations/config.ts'
import { type Deps, type OpenDepsOptions, openDeps } from '../../operations/deps.ts'
import { countInThreads } from '../../search/counting/thread-pool.ts'
import { runInThread } from '../../search/replica/thread.ts'
import { searchGauges } from '../../search/service/status.ts'
import { buildApp } from '../app.ts'
import { standinProgram, threadProgram } from './programs.ts'

/** What one process and each of several workers do alike. */

const clockCheckIntervalMs = 60_000

export type AddressedConfig = Config & { publicUrl: string }

/** Sets `publicUrl`, the base of links: PUBLIC_URL, or the address listened on. */
export function withAddress(given: Config, port: number): AddressedConfig {
  return { ...given, port, publicUrl: given.publicUrl ?? `http://${localName(given.host)}:${port}` }
}

/** Where the stand-in sends its events: the local address, whatever PUBLIC_URL is. */
export function webhookUrlAt({ host, port }: Config): string {
  return `http://${localName(host)}:${port}/webhooks/stripe`
}

/** The host to connect to from this machine: a wildcard address is none. */
function localName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}

/** Opens the resources of a process that serves requests. With a webhook URL it also keeps the stand-in for Stripe running. */
export function openServingDeps(
  config: Config,
  options: { log: Logger; webhookUrl?: string } & Pick<OpenDepsOptions, 'maxConnections' | 'processes'>,
): Promise<Deps> {
  const { webhookUrl, ...rest } = options
  return openDeps(config, {
    ...rest,
    applicationName: 'storedex',
    standin: { args: standinProgram(config.projectDir), ...(webhookUrl && { webhookUrl }) },
    startReplica: runInThread(threadProgram('search-thread')),
    startCounting: countInThreads(threadProgram('count-thread')),
    startImport: startImportInThread(threadProgram('import-thread')),
    inspectImport: inspectInThread(threadProgram('reading-thread')),
    startReading: readInThread(threadProgram('reading-thread')),
  })
}

/** Adds the figures that exist before the app does, and starts to measure the clock. */
export function measureDeps(deps: Deps, metrics: Metrics): RepeatingTask {
  registerLogMetrics(metrics, deps.log)
  registerGauges(metrics, deps.health.gauges())
  registerGauges(metrics, searchGauges(deps.search))
  registerGauges(metrics, deps.documents.cache.gauges())
  registerCounters(metrics, deps.documents.cache.counters())
  registerGauges(metrics, deps.charges.gauges())
  registerCounters(metrics, deps.charges.counters())
  if (deps.standby) registerGauges(metrics, deps.standby.gauges())
  return monitorClock(deps, metrics)
}

/** Builds the app and listens. Throws what `listen` throws, with the app closed. */
export async function startApp(deps: Deps, config: Config, metrics: Metrics): Promise<FastifyInstance> {
  const app = await buildApp({ ...deps, config }, [metrics.observe])
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await app.close()
    throw error
  }
  registerConnectionMetrics(metrics, app)
  registerGauges(metrics, app.exportRunner.gauges())
  registerCounters(metrics, app.exportRunner.counters())
  registerGauges(metrics, app.importRunner.gauges())
  registerCounters(metrics, app.importRunner.counters())
  if (app.outbox) registerCounters(metrics, app.outbox.counters())
  registerCounters(metrics, app.toolCalls.counters())
  return app
}

/** Monitors the difference between this server's clock and the database's, for log and metrics. */
function monitorClock({ db, clock, log }: Deps, metrics: Metrics): RepeatingTask {
  const monitor = new ClockSkewMonitor({ db, clock, warn: (line) => log.warn(line) })
  registerGauges(metrics, [
    {
      name: 'storedex_clock_skew_seconds',
      help: "How far this server's clock is ahead of the database's; negative when behind.",
      // Workers share the clock.
      aggregate: 'average',
      read: () => (monitor.skewSeconds === null ? [] : [{ value: monitor.skewSeconds }]),
    },
  ])
  // The health check reports an unavailable database.
  return startRepeating(() => monitor.measure(), { intervalMs: clockCheckIntervalMs, onOutage: () => {} })
}

/** Describes the payment provider in one line. */
export async function describeBilling({ config: { stripe, billingStandin }, standin }: Deps): Promise<string> {
  if (stripe.secretKey !== null)
    return /_test_/.test(stripe.secretKey) ? 'Stripe in test mode, no money moves' : 'Stripe'
  if (!standin) {
    const reason = billingStandin === false ? 'BILLING_STANDIN is 0' : 'others can reach the service'
    return `closed, because ${reason} and no Stripe key is set; set STRIPE_SECRET_KEY, or BILLING_STANDIN=1 to try it without money`
  }
  const address = await standin.address()
  return address ? `local stand-in at ${address}, no money moves` : 'the local stand-in is not running; see the log'
}
