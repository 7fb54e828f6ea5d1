import fc from 'fast-check'
import { pino } from 'pino'
import { AggregatorRegistry, Counter, Histogram, Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { createRequestLogger, type FinishedRequest } from '../../../src/foundation/http/observe.ts'
import { RequestFigures } from '../../../src/foundation/http/request-figures.ts'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import { createLogger } from '../../../src/foundation/runtime/logger.ts'

const routes = ['/api/v1/stores/:domain', '/api/v1/stores/search', '(none)', '/healthz']

test('the figures of requests are those that the metrics library would keep', async () => {
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST', '(unread)'),
    route: fc.constantFrom(...routes),
    status: fc.constantFrom(200, 304, 404, 503),
    seconds: fc.oneof(fc.constantFrom(0, 0.002, 0.25, 10, 10.1), fc.double({ min: 0, max: 12, noNaN: true })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(request), async (requests) => {
      const registry = new Registry()
      const figures = new RequestFigures()
      figures.register(registry)
      const expected = new Registry()
      const total = new Counter({
        name: 'storedex_http_requests_total',
        help: 'Requests answered, by method, route pattern and status.',
        labelNames: ['method', 'route', 'status'],
        registers: [expected],
      })
      const durations = new Histogram({
        name: 'storedex_http_request_duration_seconds',
        help: 'From the first byte of the headers read to the last byte of the reply written.',
        labelNames: ['method', 'route'],
        buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
        registers: [expected],
      })
      for (const { method, route, status, seconds } of requests) {
        figures.count(method, route, status, seconds)
        total.inc({ method, route, status })
        durations.observe({ method, route }, seconds)
      }
      const inOrder = (text: string) => text.split('\n').sort()
      expect(inOrder(await registry.metrics())).toEqual(inOrder(await expected.metrics()))
      const ofTwo = async (one: Registry) => {
        const figures = await one.getMetricsAsJSON()
        return inOrder(await AggregatorRegistry.aggregate([figures, figures]).metrics())
      }
      expect(await ofTwo(registry)).toEqual(await ofTwo(expected))
      // A second reading counts nothing twice.
      expect(inOrder(await registry.metrics())).toEqual(inOrder(await expected.metrics()))
    }),
  )
})

describe('the line of a request', () => {
  const finished: fc.Arbitrary<FinishedRequest> = fc.record({
    requestId: fc.constant('req_1'),
    method: fc.constantFrom('GET', 'POST'),
    route: fc.constantFrom(...routes),
    status: fc.constantFrom(200, 302, 400, 429, 500, 503),
    durationMs: fc.double({ min: 0, max: 60_000, noNaN: true }),
    aborted: fc.boolean(),
    caller: fc.oneof(
      fc.constant(null),
      fc.constant({ account_id: 'acct_a', key_id: 'key_b' }),
      fc.record({ person_id: fc.constant('per_c'), account_id: fc.string({ unit: 'binary' }) }),
    ),
    failure: fc.option(fc.constant(new Refusal('rate_limit_exceeded', 'Too many.', { param: 'requests_per_minute' }))),
  })

  test.each(['debug', 'info', 'warn'])('is the one that the logger would write, at level %s', (level) => {
    const lines: string[] = []
    const expected: string[] = []
    const logLine = createRequestLogger(
      createLogger({ level, destination: { write: (line) => void lines.push(line) } }),
    )
    const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
    const logExpected = createRequestLogger(pino(options, { write: (line) => void expected.push(line) }))
    fc.assert(
      fc.property(finished, (request) => {
        logLine(request)
        logExpected(request)
        const withoutTime = (line: string | undefined) => line?.replace(/"time":"[^"]{24}"/, '"time":""')
        expect(lines.length).toBe(expected.length)
        expect(withoutTime(lines.pop())).toBe(withoutTime(expected.pop()))
      }),
    )
  })
})
