import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { maxConnectionsFor, parseOpenFileLimit } from '../../src/http/connection-limits.ts'
import type { ApiRoutes, HttpServerOptions } from '../../src/http/server.ts'
import { addEchoRoute, call, expectEnvelope, sendRaw, startTestServer, type TestServer } from './support/test-server.ts'

const usage = 'GET /api/v1/usage HTTP/1.1\r\nHost: x\r\n\r\n'
const search = 'POST /api/v1/stores/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

/** Larger than what the system takes for a reader who does not read. */
const bigReply = 'x'.repeat(16_000_000)

interface OddEdge extends TestServer {
  /** How many requests for `/big` were begun. */
  begun(): number
  /** Lets `/slow` answer. */
  finish(): void
}

async function startOddEdge(options: Partial<HttpServerOptions> = {}): Promise<OddEdge> {
  let begun = 0
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const addRoutes = (api: ApiRoutes) => {
    addEchoRoute(api)
    api.get('/big', (_request, reply) => {
      begun++
      return reply.type('text/plain').send(bigReply)
    })
    api.get('/slow', async () => {
      begun++
      await finished
      return { done: true }
    })
  }
  return { ...(await startTestServer(addRoutes, options)), begun: () => begun, finish }
}

/** A connection that sends this and then nothing; what it receives is read only by those who listen. */
async function open(port: number, bytes = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (bytes) socket.write(bytes)
  return socket
}

/** Ended by the server, in whichever way. */
const closed = (socket: Socket) => new Promise((resolve) => socket.resume().once('close', resolve))

const connectionsOf = ({ app }: TestServer) =>
  new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))

describe('when all connections are taken', () => {
  test('the oldest one that sent no request makes room', async () => {
    const edge = await startOddEdge({ maxConnections: 3 })
    const first = await open(edge.port)
    await delay(20)
    const others = [await open(edge.port), await open(edge.port, 'GET /api/v1/us')]
    const firstClosed = closed(first)
    await delay(300)
    expect((await sendRaw(edge.port, usage, 1)).map((reply) => reply.status)).toEqual([200])
    await firstClosed
    expect(others.map((socket) => socket.destroyed)).toEqual([false, false])
    expect(edge.app.connections.evicted).toBe(1)
  })

  test('one that is kept alive and idle makes room, and none whose request is at work', async () => {
    const edge = await startOddEdge({ maxConnections: 2 })
    const slow = call(`${edge.url}/api/v1/slow`)
    await expect.poll(() => edge.begun()).toBe(1)
    const idle = await open(edge.port, usage)
    await once(idle, 'data')
    const idleClosed = closed(idle)
    await delay(1_100)
    expect((await sendRaw(edge.port, usage, 1)).map((reply) => reply.status)).toEqual([200])
    await idleClosed
    edge.finish()
    expect((await slow).status).toBe(200)
  })

  test('a new one is told so where none can be closed', async () => {
    const edge = await startOddEdge({ maxConnections: 1 })
    const slow = call(`${edge.url}/api/v1/slow`)
    await expect.poll(() => edge.begun()).toBe(1)
    const [refused, ...more] = await sendRaw(edge.port, usage)
    expect(more).toEqual([])
    expectEnvelope(refused!, 503, 'service_unavailable')
    expect(refused!.headers.get('connection')).toBe('close')
    expect(refused!.headers.get('retry-after')).toBe('1')
    expect(edge.app.connections.rejected).toBe(1)
    edge.finish()
    expect((await slow).status).toBe(200)
  })

  test('a flood of silent ones leaves room for those that ask', async () => {
    const edge = await startOddEdge({ maxConnections: 20 })
    for (let i = 0; i < 20; i++) await open(edge.port)
    await delay(250)
    for (let i = 0; i < 15; i++)
      expect((await sendRaw(edge.port, usage, 1)).map((reply) => reply.status)).toEqual([200])
    expect(await connectionsOf(edge)).toBeLessThanOrEqual(20)
  })
})

describe('bodies in flight', () => {
  const half = (size: number) => `${search}Content-Length: ${size * 2}\r\n\r\n${' '.repeat(size)}`

  test('share one budget, and the upload that began first ends when it is used up', async () => {
    const edge = await startOddEdge({ maxBodyBytesInFlight: 10_000 })
    const first = sendRaw(edge.port, half(6_000), 1)
    await expect.poll(() => edge.app.bodyBudget.bytesInFlight).toBeGreaterThan(0)
    const second = await open(edge.port, half(4_500))
    const [refused] = await first
    expectEnvelope(refused!, 503, 'service_unavailable')
    expect(refused!.headers.get('retry-after')).toBe('1')
    second.write(`${' '.repeat(4_498)}{}`)
    const [reply] = (await once(second, 'data')) as [Buffer]
    expect(reply.toString()).toContain('200 OK')
    expect(edge.app.bodyBudget.bytesInFlight).toBe(0)
  })

  test('give their memory back when their callers hang up', async () => {
    const edge = await startOddEdge()
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(edge.port, half(50_000))))
    await expect.poll(() => edge.app.bodyBudget.bytesInFlight).toBeGreaterThanOrEqual(1_000_000)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => edge.app.bodyBudget.bytesInFlight).toBe(0)
  })

  test('take what was received, not what was announced', async () => {
    const edge = await startOddEdge()
    for (let i = 0; i < 20; i++) await open(edge.port, `${search}Content-Length: 262144\r\n\r\n{`)
    await expect.poll(() => edge.app.bodyBudget.bytesInFlight).toBeGreaterThan(0)
    expect(edge.app.bodyBudget.bytesInFlight).toBeLessThan(100_000)
  })
})

describe('a caller who does not read', () => {
  test('is cut off when the reply does not move', async () => {
    const edge = await startOddEdge({ timeouts: { unreadMs: 200 } })
    await open(edge.port, 'GET /api/v1/big HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => edge.begun()).toBe(1)
    await expect.poll(() => connectionsOf(edge), { timeout: 10_000 }).toBe(0)
  })

  test('is cut off also when it goes on sending', async () => {
    const edge = await startOddEdge({ timeouts: { unreadMs: 400 } })
    const socket = await open(edge.port, 'GET /api/v1/big HTTP/1.1\r\nHost: x\r\n\r\n')
    const sending = setInterval(() => socket.write('\r\n'), 50)
    socket.once('close', () => clearInterval(sending))
    await expect.poll(() => edge.begun()).toBe(1)
    await expect.poll(() => connectionsOf(edge), { timeout: 10_000 }).toBe(0)
    clearInterval(sending)
  })

  test('is cut off when the whole reply takes too long', async () => {
    const edge = await startOddEdge({ timeouts: { replyMs: 100 } })
    await open(edge.port, 'GET /api/v1/big HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => edge.begun()).toBe(1)
    await expect.poll(() => connectionsOf(edge), { timeout: 10_000 }).toBe(0)
  })

  test('piles up one reply, however many requests it sends ahead', async () => {
    const edge = await startOddEdge()
    const socket = await open(edge.port, 'GET /api/v1/big HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10))
    await expect.poll(() => edge.begun()).toBe(1)
    await delay(300)
    expect(edge.begun()).toBe(1)
    let received = 0
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(10 * bigReply.length)
    expect(edge.begun()).toBe(10)
  })
})

describe('requests that are sent ahead', () => {
  test('are carried out up to 100; a connection with more is closed', async () => {
    const edge = await startOddEdge()
    const replies = await sendRaw(edge.port, usage.repeat(100), 100)
    expect(replies.map((reply) => reply.status)).toEqual(Array(100).fill(200))
    const flood = await open(edge.port, usage.repeat(5_000))
    await closed(flood)
    expect((await call(`${edge.url}/healthz`)).status).toBe(200)
  })

  test('are not carried out behind the one that closes the connection', async () => {
    const edge = await startOddEdge()
    const last = usage.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    const replies = await sendRaw(edge.port, last + usage)
    expect(replies.map((reply) => reply.status)).toEqual([200])
    expect(edge.finished).toHaveLength(1)
  })
})

describe('the number of connections', () => {
  test.each([
    [200, 40],
    [1_024, 864],
    [20_000, 2_048],
    [Number.POSITIVE_INFINITY, 2_048],
    [64, 16],
  ])('follows from how many files may be open: %s → %s', (files, connections) => {
    expect(maxConnectionsFor(files)).toBe(connections)
  })

  test('is read from what the system tells', () => {
    const told = (soft: string) =>
      `Max processes  1  2  processes\nMax open files            ${soft}   1048576  files\n`
    expect(parseOpenFileLimit(told('200'))).toBe(200)
    expect(parseOpenFileLimit(told('unlimited'))).toBe(Number.POSITIVE_INFINITY)
    expect(parseOpenFileLimit('')).toBe(1_024)
  })
})
