import type { FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import type { ApiRoutes } from '../../src/http/server.ts'
import { call, type Edge, expectEnvelope, sendRaw, startEdge } from './edge.ts'

function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** An edge with a route that answers when it is told to. */
async function startSlowEdge(drainGraceMs?: number): Promise<Edge & { finish: () => void; started: Promise<void> }> {
  const started = signal()
  const finish = signal()
  const addRoutes = (api: ApiRoutes) => {
    api.get('/slow', async () => {
      started.resolve()
      await finish.promise
      return { done: true }
    })
    api.get('/quick', () => ({}))
  }
  const edge = await startEdge(addRoutes, drainGraceMs === undefined ? {} : { drainGraceMs })
  return { ...edge, finish: finish.resolve, started: started.promise }
}

const isClosed = (app: FastifyInstance) => expect.poll(() => app.server.listening).toBe(false)

describe('closing', () => {
  test('lets requests at work finish, refuses new ones, and then ends', async () => {
    const { app, url, port, finish, started, log } = await startSlowEdge()
    const slow = call(`${url}/api/v1/slow`)
    await started
    const closed = app.close()
    await expect.poll(() => app.drain.isDraining).toBe(true)

    const refused = await call(`${url}/api/v1/quick`)
    expectEnvelope(refused, 503, 'service_unavailable')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.headers.get('connection')).toBe('close')

    finish()
    const reply = await slow
    expect(reply).toMatchObject({ status: 200, body: '{"done":true}' })
    expect(reply.headers.get('connection')).toBe('close')
    await closed
    await expect(call(`${url}/api/v1/quick`)).rejects.toThrow()
    expect(await sendRaw(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toEqual([])
    await expect
      .poll(() => log.map((line) => [line.route, line.status]))
      .toEqual([
        ['/api/v1/quick', 503],
        ['/api/v1/slow', 200],
      ])
  })

  test('waits no longer than it may', async () => {
    const { app, url, started } = await startSlowEdge(50)
    const slow = call(`${url}/api/v1/slow`)
    const outcome = expect(slow).rejects.toThrow()
    await started
    await app.close()
    await outcome
  })

  test('does not wait for connections that are idle or have not asked yet', async () => {
    const { app, url, port } = await startSlowEdge()
    await call(`${url}/api/v1/quick`)
    const halfAsked = sendRaw(port, 'GET /api/v1/quick HTTP/1.1\r\nHost')
    await expect
      .poll(() => new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count))))
      .toBe(2)
    await app.close()
    await isClosed(app)
    expect(await halfAsked).toEqual([])
  })
})

describe('once draining has begun', () => {
  test('a connection kept alive gets its refusal and is closed', async () => {
    const { app, port, url, finish, started } = await startSlowEdge()
    const slow = call(`${url}/api/v1/slow`)
    await started
    app.drain.begin()
    const request = 'GET /api/v1/quick HTTP/1.1\r\nHost: x\r\n\r\n'
    const replies = await sendRaw(port, request.repeat(2))
    expect(replies.map((reply) => reply.status)).toEqual([503])
    finish()
    expect((await slow).status).toBe(200)
  })

  test('it is alive, but not ready', async () => {
    const { app, url } = await startSlowEdge()
    app.drain.begin()
    expect((await call(`${url}/healthz`)).status).toBe(200)
    const ready = await call(`${url}/readyz`)
    expect(expectEnvelope(ready, 503, 'service_unavailable').message).toBe('The server is shutting down.')
  })
})
