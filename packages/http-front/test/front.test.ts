import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { fastify } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import {
  BodyBudget,
  ConnectionManager,
  type ConnectionTimeouts,
  createBodyParser,
  createNodeServer,
  discardUnreadBodies,
  drainBeforeClosing,
  limitRequestsInFlight,
} from '../src/index.ts'

const timeouts: ConnectionTimeouts = {
  headersMs: 10_000,
  requestMs: 10_000,
  keepAliveMs: 10_000,
  stalledMs: 10_000,
  unreadMs: 10_000,
  replyMs: 10_000,
}

class StatusError extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

interface Limits {
  maxConnections?: number
  maxBodyBytes?: number
  maxBodyBytesInFlight?: number
  maxInFlight?: number
  timeouts?: Partial<ConnectionTimeouts>
}

/** Starts a port that knows nothing but its front: `/echo` returns its body, `/wait` answers on `finish`. */
async function startFront(limits: Limits = {}) {
  const allTimeouts = { ...timeouts, ...limits.timeouts }
  const bodies = new BodyBudget(limits.maxBodyBytesInFlight ?? 1_000_000, {
    tooLarge: (maxBytes) => new StatusError(413, `more than ${maxBytes}`),
    tooMany: () => new StatusError(503, 'too many bodies'),
    incomplete: () => new StatusError(400, 'incomplete'),
  })
  const connections = new ConnectionManager({ max: limits.maxConnections ?? 100, timeouts: allTimeouts }, bodies)
  const app = fastify({
    serverFactory: (handle) =>
      createNodeServer(handle, {
        timeouts: allTimeouts,
        connections,
        maxHeaderBytes: 1_024,
        answer: (socket, fault) =>
          void socket.end(`HTTP/1.1 400 Bad\r\nConnection: close\r\nContent-Length: ${fault.length}\r\n\r\n${fault}`),
      }),
    clientErrorHandler: () => {},
    return503OnClosing: false,
    forceCloseConnections: false,
  })
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let waiting = 0
  drainBeforeClosing(app, {
    connections,
    bodies,
    graceMs: 10_000,
    handOverMs: 10_000,
    onDrain: () => {},
    createError: () => new StatusError(503, 'closing'),
  })
  app.decorate('bodyBudget', bodies)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('text/plain', createBodyParser(app, limits.maxBodyBytes ?? 1_000, String))
  discardUnreadBodies(app)
  const busy = () => new StatusError(429, 'busy')
  limitRequestsInFlight(app, { maxInFlight: limits.maxInFlight ?? 100, identifyHolder: ({ url }) => url }, busy)
  app.post('/echo', ({ body }) => body)
  app.get('/wait', async () => {
    waiting++
    await finished
    return 'done'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return {
    ...{ app, bodies, connections, port, url: `http://127.0.0.1:${port}`, finish },
    waiting: () => waiting,
  }
}

async function open(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

/** What a connection receives until the server closes it. */
async function receive(port: number, bytes: string): Promise<string> {
  const socket = await open(port, bytes)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await once(socket, 'close')
  return received
}

test.each([
  ['not_http', 'hello\r\n\r\n'],
  ['headers_too_large', `GET /${'x'.repeat(2_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['proxy_request', 'CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n'],
])('a connection without a request to reply to is answered: %s', async (fault, bytes) => {
  const { port } = await startFront()
  expect(await receive(port, bytes)).toMatch(new RegExp(`^HTTP/1.1 400 .*\r\n\r\n${fault}$`, 's'))
})

test('a slow request is answered: too_slow', async () => {
  const { port } = await startFront({ timeouts: { headersMs: 50, requestMs: 50 } })
  expect(await receive(port, 'GET / HTTP/1.1\r\nHost: x\r\n')).toMatch(/too_slow$/)
})

test('a connection too many is answered while every other one is at work', async () => {
  const { port, url, finish, waiting, connections } = await startFront({ maxConnections: 1 })
  const running = fetch(`${url}/wait`)
  await expect.poll(waiting).toBe(1)
  expect(await receive(port, 'GET /wait HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/too_many_connections$/)
  expect(connections.rejected).toBe(1)
  finish()
  expect(await (await running).text()).toBe('done')
})

test('a body within the limit is read; a larger one gets the error that was passed in', async () => {
  const { url } = await startFront({ maxBodyBytes: 10 })
  const send = (body: string) =>
    fetch(`${url}/echo`, { method: 'POST', body, headers: { 'content-type': 'text/plain' } })
  expect(await (await send('0123456789')).text()).toBe('0123456789')
  const refused = await send('0123456789+')
  expect([refused.status, await refused.json()]).toEqual([413, expect.objectContaining({ message: 'more than 10' })])
})

test('bodies share one budget: the oldest is refused', async () => {
  const { port, bodies } = await startFront({ maxBodyBytes: 10_000, maxBodyBytesInFlight: 8_000 })
  const head = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9000\r\n\r\n'
  const first = await open(port, head + 'a'.repeat(5_000))
  await expect.poll(() => bodies.bytesInFlight).toBeGreaterThanOrEqual(5_000)
  const second = await open(port, head + 'b'.repeat(4_000))
  const [reply] = await once(first, 'data')
  expect(String(reply)).toMatch(/^HTTP\/1.1 503 .*too many bodies/s)
  second.destroy()
  await expect.poll(() => bodies.bytesInFlight).toBe(0)
})

test('a holder gets half of the requests in flight, and then the error that was passed in', async () => {
  const { url, finish, waiting } = await startFront({ maxInFlight: 4 })
  const running = [fetch(`${url}/wait`), fetch(`${url}/wait`)]
  await expect.poll(waiting).toBe(2)
  expect((await fetch(`${url}/wait`)).status).toBe(429)
  finish()
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
})

test('closing answers what runs, and refuses what comes later', async () => {
  const { app, url, finish, waiting } = await startFront()
  const running = fetch(`${url}/wait`)
  await expect.poll(waiting).toBe(1)
  const closed = app.close()
  await expect.poll(() => app.drain.isDraining).toBe(true)
  const late = await fetch(`${url}/wait`)
  expect([late.status, await late.json()]).toEqual([503, expect.objectContaining({ message: 'closing' })])
  finish()
  expect(await (await running).text()).toBe('done')
  await closed
})
