import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DatabaseHealthMonitor } from '../../../src/foundation/http/health.ts'
import {
  createMetrics,
  registerGauges,
  registerLogMetrics,
  startMetricsServer,
} from '../../../src/foundation/http/metrics.ts'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startRelay } from '../../support/relay.ts'
import { addEchoRoute, call, expectEnvelope, logLinesOf, startTestServer } from './support/test-server.ts'

describe('health', () => {
  test('a live process answers 200 on /healthz', async () => {
    const { url } = await startTestServer()
    expect(await call(`${url}/healthz`)).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    expect(await call(`${url}/readyz`)).toMatchObject({ status: 200, body: '{"status":"ready"}' })
  })

  test('an unready process answers 503 with the reason', async () => {
    const { url } = await startTestServer(addEchoRoute, {
      checkReadiness: async () => 'The catalogue is being loaded.',
    })
    const reply = await call(`${url}/readyz`)
    expect(expectEnvelope(reply, 503, 'service_unavailable').message).toBe('The catalogue is being loaded.')
    expect(reply.headers.get('retry-after')).toBe('1')
    expect((await call(`${url}/healthz`)).status).toBe(200)
  })

  test('a failing check is a 503, with its cause only in the log', async () => {
    const checkReadiness = () => Promise.reject(new Error('connect to secret-host failed'))
    const httpServer = await startTestServer(addEchoRoute, { checkReadiness })
    const reply = await call(`${httpServer.url}/readyz`)
    expectEnvelope(reply, 503, 'service_unavailable')
    expect(reply.body).not.toContain('secret-host')
    expect(await logLinesOf(httpServer, reply)).toMatchObject([{ cause: { message: 'connect to secret-host failed' } }])
  })

  test('a hanging check is a 503', async () => {
    const { url } = await startTestServer(addEchoRoute, { checkReadiness: () => new Promise(() => {}) })
    expectEnvelope(await call(`${url}/readyz`), 503, 'service_unavailable')
  })

  test('successful probes are logged at debug level only', async () => {
    const { url, log } = await startTestServer()
    await call(`${url}/healthz`)
    await expect.poll(() => log).toEqual([expect.objectContaining({ level: 20, route: '/healthz' })])
  })
})

test('the database is shown as ready, or not, once it was checked', async () => {
  const { url } = await createTestDatabase()
  const relay = await startRelay(url)
  const monitor = new DatabaseHealthMonitor({ log: pino({ level: 'silent' }), databaseUrl: relay.url })
  onTestFinished(() => monitor.close())
  const read = () => monitor.gauges()[0]!.read()
  expect(read()).toEqual([])
  await monitor.check()
  expect(read()).toEqual([{ value: 1 }])
  relay.freeze()
  await monitor.check()
  expect(read()).toEqual([{ value: 0 }])
})

describe('metrics', async () => {
  const metrics = createMetrics(() => ({ total: 3, idle: 2, waiting: 1 }))
  const httpServer = await startTestServer(addEchoRoute, { observers: [metrics.observe] })
  const server = await startMetricsServer({ host: '127.0.0.1', port: 0, registry: metrics.registry })
  const read = async () => (await call(`http://127.0.0.1:${server.port}/metrics`)).body

  test('count requests by route pattern, method and status', async () => {
    await call(`${httpServer.url}/api/v1/stores/sdx_live_secret`)
    await call(`${httpServer.url}/sdx_live_secret`)
    await expect.poll(read).toContain('storedex_http_requests_total{method="GET",route="(none)",status="404"} 1')
    const text = await read()
    expect(text).toContain('storedex_http_requests_total{method="GET",route="/api/v1/stores/:domain",status="200"} 1')
    expect(text).toContain('storedex_http_request_duration_seconds_count{method="GET",route="(none)"} 1')
    expect(text).not.toContain('secret')
  })

  test('show the pool and the process', async () => {
    const text = await read()
    expect(text).toContain('storedex_database_connections{state="waiting"} 1')
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds')
  })

  test('count the lines of the log that call for attention', async () => {
    const log = createLogger({ level: 'info', destination: { write: () => {} } })
    registerLogMetrics(metrics, log)
    const counts = async () => (await read()).match(/^storedex_log_lines_total\{.*$/gm)
    const line = (level: string, count: number) => `storedex_log_lines_total{level="${level}"} ${count}`
    expect(await counts()).toEqual([line('warn', 0), line('error', 0)])
    log.info('a')
    log.warn('b')
    log.child({}).error({ cause: {} }, 'c')
    log.fatal('d')
    log.debug('e')
    expect(await counts()).toEqual([line('warn', 1), line('error', 2)])
  })

  test('leave out a gauge without a value', async () => {
    const figures: number[] = []
    registerGauges(metrics, [
      { name: 'storedex_now_and_then', help: '…', read: () => figures.map((value) => ({ value })) },
    ])
    const shown = async () => (await read()).match(/^storedex_now_and_then .*$/m)?.[0]
    expect(await shown()).toBe(undefined)
    figures.push(7)
    expect(await shown()).toBe('storedex_now_and_then 7')
    figures.pop()
    expect(await shown()).toBe(undefined)
  })

  test('are the only thing their port serves, until it is closed', async () => {
    const address = `http://127.0.0.1:${server.port}`
    expect((await call(`${address}/`)).status).toBe(404)
    expect((await call(`${address}/metrics`, { method: 'POST' })).status).toBe(404)
    await server.close()
    await expect(call(`${address}/metrics`)).rejects.toThrow()
  })

  test('are not on the port of the API', async () => {
    expectEnvelope(await call(`${httpServer.url}/metrics`), 404, 'route_not_found')
  })
})
