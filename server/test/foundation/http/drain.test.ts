import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { type ApiRoutes, createHttpServer } from '../../../src/foundation/http/server.ts'
import { call, expectEnvelope, sendRaw, startTestServer, type TestServer } from './support/test-server.ts'

function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** A server with a route that answers when `finish` is called. */
async function startSlowServer(
  drainGraceMs?: number,
): Promise<TestServer & { finish: () => void; started: Promise<void> }> {
  const started = signal()
  const finish = signal()
  const addRoutes = (api: ApiRoutes) => {
    api.get('/slow', async () => {
      started.resolve()
      await finish.promise
      return { done: true }
    })
    api.get('/quick', () => ({}))
    api.post('/echo', ({ body }) => ({ body }))
  }
  const server = await startTestServer(addRoutes, drainGraceMs === undefined ? {} : { drainGraceMs })
  return { ...server, finish: finish.resolve, started: started.promise }
}

const isClosed = (app: FastifyInstance) => expect.poll(() => app.server.listening).toBe(false)

describe('closing', () => {
  test('lets running requests finish, rejects new ones, and then ends', async () => {
    const { app, url, port, finish, started, log } = await startSlowServer()
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

  test('waits no longer than the grace time', async () => {
    const { app, url, started } = await startSlowServer(50)
    const slow = call(`${url}/api/v1/slow`)
    const outcome = expect(slow).rejects.toThrow()
    await started
    await app.close()
    await outcome
  })

  test('does not wait for connections that are idle or sent no request yet', async () => {
    const { app, url, port } = await startSlowServer(3_600_000)
    await call(`${url}/api/v1/quick`)
    const halfAsked = sendRaw(port, 'GET /api/v1/quick HTTP/1.1\r\nHost')
    await expect
      .poll(() => new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count))))
      .toBe(2)
    await app.close()
    await isClosed(app)
    expect(await halfAsked).toEqual([])
  })

  test('does not wait without connections', async () => {
    const { app } = await startSlowServer(3_600_000)
    await app.close()
    expect(app.server.listening).toBe(false)
  })

  test('answers a request in transit on a kept-alive connection', async () => {
    const { app, port } = await startSlowServer()
    const socket = connect(port, '127.0.0.1')
    const received = collect(socket)
    socket.write(quick)
    await expect.poll(() => received.text).toContain('200 OK')
    const closing = app.close()
    socket.write(quick)
    await closing
    await received.end
    expect(received).toMatchObject({ error: null })
    expect(received.text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503'])
    expect(received.text).toContain('"service_unavailable"')
  })

  test('answers a connection that the kernel has already accepted', async () => {
    const { app, port } = await startSlowServer()
    // Node has not accepted the connection yet.
    const refused = sendRaw(port, quick)
    await Promise.all([refused, app.close()])
    const replies = await refused
    expect(replies).toHaveLength(1)
    expectEnvelope(replies[0]!, 503, 'service_unavailable')
  })

  test('rejects a request with an incomplete body, and does not wait for it', async () => {
    const { app, port, finished } = await startSlowServer()
    const head =
      'POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
    const upload = sendRaw(port, head)
    await expect.poll(() => app.bodyBudget.bytesInFlight).toBeGreaterThan(0)
    await app.close()
    const replies = await upload
    expect(replies).toHaveLength(1)
    expectEnvelope(replies[0]!, 503, 'service_unavailable')
    await expect.poll(() => finished.map(({ status }) => status)).toEqual([503])
  })

  test('answers every request of many clients that send without pause, and resets no connection', async () => {
    const { app, port } = await startSlowServer()
    const callers = Array.from({ length: 200 }, () => sendWithoutPause(port))
    await expect.poll(() => callers.every(({ replies }) => replies.length > 3), { timeout: 60_000 }).toBe(true)
    await app.close()
    await Promise.all(callers.map(({ end }) => end))
    for (const { replies, error, isWaiting } of callers) {
      expect({ error, isWaiting, last: replies.at(-1) }).toEqual({ error: null, isWaiting: false, last: 503 })
      expect(new Set(replies.slice(0, -1))).toEqual(new Set([200]))
    }
  })

  test('closes both addresses of localhost', async () => {
    const app = createHttpServer({ observers: [], checkReadiness: async () => null })
    await app.listen({ port: 0, host: 'localhost' })
    const addresses = app.addresses() as AddressInfo[]
    const socket = connect(addresses.at(-1)!.port, addresses.at(-1)!.address)
    const received = collect(socket)
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => received.text).toContain('200 OK')
    await app.close()
    await received.end
    expect(received.error).toBeNull()
    for (const { port, address } of addresses) {
      const [error] = await once(connect(port, address), 'error').catch((refused) => [refused])
      expect(error).toMatchObject({ code: 'ECONNREFUSED' })
    }
  })
})

const quick = 'GET /api/v1/quick HTTP/1.1\r\nHost: x\r\n\r\n'

/** Collects what a connection receives, and its error. */
function collect(socket: Socket) {
  const received = { text: '', error: null as Error | null, end: Promise.resolve() }
  socket.on('data', (chunk) => {
    received.text += chunk
  })
  socket.on('error', (error) => {
    received.error = error
  })
  received.end = new Promise((resolve) => socket.once('close', () => resolve()))
  return received
}

/** A client that sends the next request as soon as the last one is answered, until the server closes the connection. */
function sendWithoutPause(port: number) {
  const socket = connect(port, '127.0.0.1')
  const caller = { replies: [] as number[], isWaiting: true, error: null as Error | null, end: Promise.resolve() }
  let text = ''
  socket.write(quick)
  socket.on('data', (chunk) => {
    text += chunk
    const headEnd = text.indexOf('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
    if (headEnd === -1 || text.length < headEnd + 4 + length) return
    caller.replies.push(Number(text.slice(9, 12)))
    caller.isWaiting = !/connection: close/i.test(text)
    text = ''
    if (caller.isWaiting) socket.write(quick)
    else socket.end()
  })
  socket.on('error', (error) => {
    caller.error = error
  })
  caller.end = new Promise((resolve) => socket.once('close', () => resolve()))
  return caller
}

describe('once draining has begun', () => {
  test('a kept-alive connection gets a 503 and is closed', async () => {
    const { app, port, url, finish, started } = await startSlowServer()
    const slow = call(`${url}/api/v1/slow`)
    await started
    app.drain.begin()
    const request = 'GET /api/v1/quick HTTP/1.1\r\nHost: x\r\n\r\n'
    const replies = await sendRaw(port, request.repeat(2))
    expect(replies.map((reply) => reply.status)).toEqual([503])
    finish()
    expect((await slow).status).toBe(200)
  })

  test('/healthz is ok and /readyz is not', async () => {
    const { app, url } = await startSlowServer()
    app.drain.begin()
    expect((await call(`${url}/healthz`)).status).toBe(200)
    const ready = await call(`${url}/readyz`)
    expect(expectEnvelope(ready, 503, 'service_unavailable').message).toBe('The server is shutting down.')
  })
})

describe('handing over', () => {
  /** A request on a kept connection; resolves when its whole reply was read. */
  const sendOn = (agent: Agent, url: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { agent }, (reply) => reply.resume().once('end', () => resolve(reply)))
        .once('error', reject)
        .end()
    })

  test('answers on open connections, as the last request of each, while new ones find no listener', async () => {
    const { app, url } = await startSlowServer()
    const agents = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }))
    for (const agent of agents) {
      const { statusCode, headers } = await sendOn(agent, `${url}/api/v1/quick`)
      expect([statusCode, headers.connection]).toEqual([200, 'keep-alive'])
    }
    expect(app.connections.count).toBe(2)

    let isOver = false
    const handedOver = app.drain.handOver().then(() => {
      isOver = true
    })
    await isClosed(app)
    await expect(call(`${url}/api/v1/quick`)).rejects.toThrow()
    for (const [index, agent] of agents.entries()) {
      // The connections of clients that ask nothing stay open.
      expect([isOver, app.connections.count]).toEqual([false, 2 - index])
      const { statusCode, headers } = await sendOn(agent, `${url}/api/v1/quick`)
      expect([statusCode, headers.connection]).toEqual([200, 'close'])
      await expect.poll(() => app.connections.count).toBe(1 - index)
    }
    await handedOver
    expect(app.drain.isDraining).toBe(false)
  })
})
