import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { PoolStats } from '../db/connection-pool.ts'
import { OverloadError } from './limits/overload.ts'
import type { FinishedRequest, RequestObserver } from './observe.ts'

export interface Metrics {
  registry: Registry
  observe: RequestObserver
}

const durationBucketsSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics of requests, of the process and of the database pool. No label value comes from a caller. */
export function createMetrics(readPool?: () => PoolStats): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'storedex_http_requests_total',
    help: 'Requests answered, by method, route pattern and status.',
    labelNames,
    registers: [registry],
  })
  const shed = new Counter({
    name: 'storedex_http_requests_shed_total',
    help: 'Requests refused because too many were running.',
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'storedex_http_request_duration_seconds',
    help: 'From the first byte of the headers read to the last byte of the reply written.',
    labelNames: ['method', 'route'],
    buckets: durationBucketsSeconds,
    registers: [registry],
  })
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
      requests.inc({ method, route, status })
      if (failure instanceof OverloadError) shed.inc()
      durations.observe({ method, route }, durationMs / 1000)
    },
  }
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
  read(): { labels?: Record<string, string>; value: number }[]
}

/** Registers gauges; one without values is left out. */
export function registerGauges({ registry }: Metrics, sources: readonly GaugeSource[]): void {
  for (const { name, help, labelNames = [], read } of sources)
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
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
  registry: Registry
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
