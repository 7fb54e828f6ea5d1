import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PoolStats } from '@storedex/pg-lanes'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type Aggregator, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { lineCountsOf } from '../runtime/logger.ts'
import { OverloadError } from './front.ts'
import type { FinishedRequest, RequestObserver } from './observe.ts'
import { RequestFigures } from './request-figures.ts'

export interface Metrics {
  registry: Registry
  observe: RequestObserver
}

/**
 * Metrics of requests, of the process and of the database pool. No label value comes from a caller. `processLabels` are
 * added to the figures of the process, which say nothing when they are added up over several.
 */
export function createMetrics(readPool?: () => PoolStats, processLabels: Record<string, string> = {}): Metrics {
  const registry = new Registry()
  collectProcessMetrics(registry, processLabels)
  const figures = new RequestFigures()
  const shed = new Counter({
    name: 'storedex_http_requests_shed_total',
    help: 'Requests refused because too many were running.',
    registers: [registry],
  })
  figures.register(registry)
  if (readPool)
    new Gauge({
      name: 'storedex_database_connections',
      help: 'Connections of the pool, and requests that wait for one.',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        for (const [state, count] of Object.entries(readPool())) this.set({ state }, count)
      },
    })
  return {
    registry,
    observe: ({ method, route, status, durationMs, failure }: FinishedRequest) => {
      figures.count(method, route, status, durationMs / 1000)
      if (failure instanceof OverloadError) shed.inc()
    },
  }
}

/** Gauges of the library with a counter's ending. Each is the sum of another gauge of it. */
const misnamedSums = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

function collectProcessMetrics(registry: Registry, labels: Record<string, string>): void {
  collectDefaultMetrics({ register: registry, labels })
  for (const name of misnamedSums) registry.removeSingleMetric(name)
  // The library leaves it out where several processes are put together; with labels it says which of them was restarted.
  const startTime = registry.getSingleMetric('process_start_time_seconds')
  if (startTime && Object.keys(labels).length > 0) Object.assign(startTime, { aggregator: 'max' satisfies Aggregator })
}

export interface MetricsServer {
  port: number
  close(): Promise<void>
}

/** A gauge that is read when the metrics are scraped. */
export interface GaugeSource {
  name: string
  help: string
  labelNames?: readonly string[]
  /** How the figures of several workers become one; default: their sum. */
  aggregate?: Aggregator
  read(): { labels?: Record<string, string>; value: number }[]
}

/** Registers gauges; one without values is left out. */
export function registerGauges({ registry }: Metrics, sources: readonly GaugeSource[]): void {
  for (const { name, help, labelNames = [], aggregate = 'sum', read } of sources)
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      aggregator: aggregate,
      registers: [registry],
      collect() {
        // Without labels, a reset would show 0, which was not measured.
        if (labelNames.length > 0) this.reset()
        else this.remove()
        for (const { labels = {}, value } of read()) this.set(labels, value)
      },
    })
}

/** Registers counters whose figures another part keeps and never lowers. */
export function registerCounters({ registry }: Metrics, sources: readonly GaugeSource[]): void {
  for (const { name, help, labelNames = [], read } of sources)
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels = {}, value } of read()) this.inc(labels, value)
      },
    })
}

/** Registers the log lines that need attention. */
export function registerLogMetrics(metrics: Metrics, log: Logger): void {
  registerCounters(metrics, [
    {
      name: 'storedex_log_lines_total',
      help: 'Lines of the log at the levels warn and error; fatal counts as error.',
      labelNames: ['level'],
      read: () => Object.entries(lineCountsOf(log) ?? {}).map(([level, value]) => ({ labels: { level }, value })),
    },
  ])
}

/** Registers the connections of the HTTP port and the incomplete request bodies. */
export function registerConnectionMetrics(
  metrics: Metrics,
  { connections, bodyBudget }: Pick<FastifyInstance, 'connections' | 'bodyBudget'>,
): void {
  registerGauges(metrics, [
    {
      name: 'storedex_http_connections',
      help: 'Open connections of the HTTP port.',
      read: () => [{ value: connections.count }],
    },
    {
      name: 'storedex_http_body_bytes_in_flight',
      help: 'Memory used by incomplete request bodies.',
      read: () => [{ value: bodyBudget.bytesInFlight }],
    },
  ])
  new Counter({
    name: 'storedex_http_connections_shed_total',
    help: 'Connections closed to make room for others, and new ones refused because none could be closed.',
    labelNames: ['reason'],
    registers: [metrics.registry],
    collect() {
      this.reset()
      this.inc({ reason: 'made_room' }, connections.evicted)
      this.inc({ reason: 'turned_away' }, connections.rejected)
    },
  })
}

/** Serves `GET /metrics` on a separate port, so that it need not be public. */
export async function startMetricsServer(options: {
  host: string
  port: number
  registry: Pick<Registry, 'metrics' | 'contentType'>
}): Promise<MetricsServer> {
  const { host, port, registry } = options
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
    try {
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType }).end(text)
    } catch {
      response.writeHead(500).end()
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
