import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { maxConnectionsFor } from '../../../src/foundation/http/front.ts'
import type { ApiRoutes, HttpServerOptions } from '../../../src/foundation/http/server.ts'
import { addEchoRoute, call, expectEnvelope, sendRaw, startTestServer, type TestServer } from './support/test-server.ts'

const usage = 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\n\r\n'
const search = 'POST /api/v1/stores/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

/** Larger than the socket buffers for a client that does not read. */
const bigReply = 'x'.repeat(16_000_000)

interface SlowServer extends TestServer {
  /** Number of started requests for `/big`. */
  started(): number
  /** Lets `/slow` answer. */
  finish(): void
}

async function startSlowServer(options: Partial<HttpServerOptions> = {}): Promise<SlowServer> {
  let started = 0
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const addRoutes = (api: ApiRoutes) => {
    addEchoRoute(api)
    api.get('/big', (_request, reply) => {
      started++
      return reply.type('text/plain').send(bigReply)
    })
    api.get('/slow', async () => {
      started++
      await finished
      return { done: true }
    })
  }
  return { ...(await startTestServer(addRoutes, options)), started: () => started, finish }
}

/** A connection that sends `bytes` and then nothing; received data is read only by added listeners. */
async function open(port: number, bytes = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (bytes) socket.write(bytes)
  return socket
}

/** Resolves when the connection is closed in any way. */
const closed = (socket: Socket) => new Promise((resolve) => socket.resume().once('close', resolve))

const connectionsOf = ({ app }: TestServer) =>
  new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))

/** Stops the clock by which the server tells how long a connection has been slow or idle. */
function stopClock() {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return { advance: (ms: number) => void vi.advanceTimersByTime(ms) }
}

const statusesOf = async (server: TestServer) => (await sendRaw(server.port, usage, 1)).map((reply) => reply.status)

describe('when the maximum number of connections is open', () => {
  test('the oldest one without a request is evicted', async () => {
    const clock = stopClock()
    const server = await startSlowServer({ maxConnections: 3 })
    const first = await open(server.port)
    await expect.poll(() => server.app.connections.count).toBe(1)
    const others = [await open(server.port), await open(server.port, 'GET /api/v1/us')]
    await expect.poll(() => server.app.connections.count).toBe(3)
    const firstClosed = closed(first)
    clock.advance(200)
    expect(await statusesOf(server)).toEqual([200])
    await firstClosed
    expect(others.map((socket) => socket.destroyed)).toEqual([false, false])
    expect(server.app.connections.evicted).toBe(1)
  })

  test('an idle kept-alive one is evicted, but none with a running request', async () => {
    const clock = stopClock()
    const server = await startSlowServer({ maxConnections: 2 })
    const slow = call(`${server.url}/api/v1/slow`)
    await expect.poll(() => server.started()).toBe(1)
    const idle = await open(server.port, usage)
    await once(idle, 'data')
    const idleClosed = closed(idle)
    clock.advance(1_000)
    expect(await statusesOf(server)).toEqual([200])
    await idleClosed
    server.finish()
    expect((await slow).status).toBe(200)
  })

  test('a new one gets a 503 when none can be evicted', async () => {
    const server = await startSlowServer({ maxConnections: 1 })
    const slow = call(`${server.url}/api/v1/slow`)
    await expect.poll(() => server.started()).toBe(1)
    const [refused, ...more] = await sendRaw(server.port, usage)
    expect(more).toEqual([])
    expectEnvelope(refused!, 503, 'service_unavailable')
    expect(refused!.headers.get('connection')).toBe('close')
    expect(refused!.headers.get('retry-after')).toBe('1')
    expect(server.app.connections.rejected).toBe(1)
    server.finish()
    expect((await slow).status).toBe(200)
  })

  test('a flood of silent ones does not block clients that send requests', async () => {
    const clock = stopClock()
    const server = await startSlowServer({ maxConnections: 20 })
    for (let i = 0; i < 20; i++) await open(server.port)
    await expect.poll(() => server.app.connections.count).toBe(20)
    // Until then each of them may be about to send its request.
    clock.advance(200)
    for (let i = 0; i < 15; i++) expect(await statusesOf(server)).toEqual([200])
    expect(await connectionsOf(server)).toBeLessThanOrEqual(20)
  })
})

describe('bodies in flight', () => {
  const half = (size: number) => `${search}Content-Length: ${size * 2}\r\n\r\n${' '.repeat(size)}`

  test('share one budget, and the oldest upload is rejected when it is exceeded', async () => {
    const server = await startSlowServer({ maxBodyBytesInFlight: 10_000 })
    const first = sendRaw(server.port, half(6_000), 1)
    await expect.poll(() => server.app.bodyBudget.bytesInFlight).toBeGreaterThan(0)
    const second = await open(server.port, half(4_500))
    const [refused] = await first
    expectEnvelope(refused!, 503, 'service_unavailable')
    expect(refused!.headers.get('retry-after')).toBe('1')
    second.write(`${' '.repeat(4_498)}{}`)
    const [reply] = (await once(second, 'data')) as [Buffer]
    expect(reply.toString()).toContain('200 OK')
    expect(server.app.bodyBudget.bytesInFlight).toBe(0)
  })

  test('release their memory when their clients disconnect', async () => {
    const server = await startSlowServer()
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(server.port, half(50_000))))
    await expect.poll(() => server.app.bodyBudget.bytesInFlight).toBeGreaterThanOrEqual(1_000_000)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => server.app.bodyBudget.bytesInFlight).toBe(0)
  })

  test('take memory for received bytes, not for the declared length', async () => {
    const server = await startSlowServer()
    for (let i = 0; i < 20; i++) await open(server.port, `${search}Content-Length: 262144\r\n\r\n{`)
    await expect.poll(() => server.app.bodyBudget.bytesInFlight).toBeGreaterThan(0)
    expect(server.app.bodyBudget.bytesInFlight).toBeLessThan(100_000)
  })
})

describe('a client that does not read', () => {
  test('is disconnected when the reply makes no progress', async () => {
    const server = await startSlowServer({ timeouts: { unreadMs: 200 } })
    await open(server.port, 'GET /api/v1/big HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => server.started()).toBe(1)
    await expect.poll(() => connectionsOf(server)).toBe(0)
  })

  test('is disconnected even if it keeps sending', async () => {
    const server = await startSlowServer({ timeouts: { unreadMs: 400 } })
    const socket = await open(server.port, 'GET /api/v1/big HTTP/1.1\r\nHost: x\r\n\r\n')
    const sending = setInterval(() => socket.write('\r\n'), 50)
    socket.once('close', () => clearInterval(sending))
    await expect.poll(() => server.started()).toBe(1)
    await expect.poll(() => connectionsOf(server)).toBe(0)
    clearInterval(sending)
  })

  test('is disconnected when the whole reply takes too long', async () => {
    const server = await startSlowServer({ timeouts: { replyMs: 100 } })
    await open(server.port, 'GET /api/v1/big HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => server.started()).toBe(1)
    await expect.poll(() => connectionsOf(server)).toBe(0)
  })

  test('accumulates one reply, however many requests it pipelines', async () => {
    const server = await startSlowServer()
    const socket = await open(server.port, 'GET /api/v1/big HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10))
    await expect.poll(() => server.started()).toBe(1)
    // The other requests came with the first one: while the server answers these it could have started them.
    for (let i = 0; i < 20; i++) await call(`${server.url}/healthz`)
    expect(server.started()).toBe(1)
    let received = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(10 * bigReply.length)
    expect(server.started()).toBe(10)
  })
})

describe('pipelined requests', () => {
  test('run up to 100; a connection with more is closed', async () => {
    const server = await startSlowServer()
    const replies = await sendRaw(server.port, usage.repeat(100), 100)
    expect(replies.map((reply) => reply.status)).toEqual(Array(100).fill(200))
    const flood = await open(server.port, usage.repeat(5_000))
    await closed(flood)
    expect((await call(`${server.url}/healthz`)).status).toBe(200)
  })

  test('do not run after the one that closes the connection', async () => {
    const server = await startSlowServer()
    const last = usage.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    const replies = await sendRaw(server.port, last + usage)
    expect(replies.map((reply) => reply.status)).toEqual([200])
    expect(server.finished).toHaveLength(1)
  })
})

test.each([
  [200, 40],
  [1_024, 864],
  [20_000, 2_048],
  [Number.POSITIVE_INFINITY, 2_048],
  [64, 16],
])('the maximum number of connections follows from the limit on open files: %s → %s', (files, connections) => {
  expect(maxConnectionsFor(files)).toBe(connections)
})
