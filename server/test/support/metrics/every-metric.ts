import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import {
  createMetrics,
  registerCounters,
  registerGauges,
  startMetricsServer,
} from '../../../src/foundation/http/metrics.ts'
import { measureDeps, startApp } from '../../../src/program/serving/serving.ts'
import { currentProgram } from '../../../src/program/workers/program.ts'
import { WorkerGroup } from '../../../src/program/workers/worker-group.ts'
import { Standby } from '../../../src/search/replica/standby.ts'
import { startTestApp } from '../app.ts'
import { atEnd } from '../cleanup.ts'

/** The reply of `/metrics` of a service that has every part: an index in memory, a standby, workers; after some requests. */
export async function readEveryMetric(): Promise<string> {
  const environment = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'storedex@mail.example' }
  const { deps, key } = await startTestApp({ now: '2026-11-27T12:00:00Z', engine: 'memory', environment })
  const metrics = createMetrics(() => deps.db.stats, { worker: '1' })
  const clockMonitoring = measureDeps(deps, metrics)
  atEnd(() => clockMonitoring.stop())
  const app = await startApp(deps, { ...deps.config, port: 0 }, metrics)
  atEnd(() => app.close())
  registerWorkers()
  registerStandby()
  await request()
  const server = await startMetricsServer({ host: '127.0.0.1', port: 0, registry: metrics.registry })
  const reply = await fetch(`http://127.0.0.1:${server.port}/metrics`)
  const text = await reply.text()
  await server.close()
  return text

  function registerWorkers(): void {
    const assignment = { workers: 2, port: 0, maxConnections: 1 }
    const group = new WorkerGroup({ log: pino({ level: 'silent' }), program: currentProgram(), assignment })
    registerGauges(metrics, group.gauges())
    registerCounters(metrics, group.counters())
  }

  function registerStandby(): void {
    const url = deps.config.databaseUrl!
    const options = { url, applicationName: 'test', maxConnections: 1, use: 'nothing', onLog: () => {} }
    const standby = new Standby({ ...options, primary: deps.db })
    atEnd(() => standby.close())
    registerGauges(metrics, standby.gauges())
  }

  /** Requests whose figures exist from the first one of their kind on. */
  async function request(): Promise<void> {
    const { secret } = await key({})
    const { port } = app.server.address() as AddressInfo
    const send = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
        ...{ method, headers },
        ...(body && { body: JSON.stringify(body) }),
      })
      await reply.arrayBuffer()
    }
    await send('GET', '/healthz')
    await send('GET', '/readyz')
    await send('GET', '/api/v1/usage')
    await send('GET', '/api/v1/exports/exp_unknown/file')
    await send('POST', '/api/v1/billing/portal-link', {})
    await send('POST', '/webhooks/stripe', {})
    const params = { name: 'usage', arguments: {} }
    await send('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  }
}
