import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { createMetrics } from '../../../src/foundation/http/metrics.ts'
import type { FinishedRequest } from '../../../src/foundation/http/observe.ts'
import type { ApiRoutes } from '../../../src/foundation/http/server.ts'
import { Refusal } from '../../../src/foundation/kernel/errors.ts'
import { ClosedObject } from '../../../src/foundation/kernel/shapes.ts'
import { call, expectEnvelope, postJson, startTestServer, type TestServer } from './support/test-server.ts'

const permits = 8
/** Maximum of one holder alone. */
const share = permits / 2

/** Starts a server whose requests end on command; the path says how. A request belongs to the holder it names. */
async function startWork() {
  const ends: (() => void)[] = []
  let started = 0
  const addRoutes = (api: ApiRoutes) => {
    api.post(
      '/work',
      {
        schema: {
          body: ClosedObject({ how: Type.String() }),
          response: { 200: ClosedObject({ done: Type.Boolean() }) },
        },
      },
      async ({ body: { how } }, reply) => {
        started++
        if (how === 'refuse at once') throw new Refusal('store_not_found', 'There is none.')
        await new Promise<void>((resolve) => ends.push(resolve))
        if (how === 'refuse') throw new Refusal('rate_limit_exceeded', 'Enough.')
        if (how === 'throw') throw new Error('a fault')
        if (how === 'throw nothing') throw undefined
        if (how === 'break the reply') return { done: 'not a boolean', toJSON: () => ({}) } as never
        return how === 'send' ? reply.send({ done: true }) : { done: true }
      },
    )
  }
  const metrics = createMetrics()
  let gone = 0
  const countGone = ({ aborted }: FinishedRequest) => {
    if (aborted) gone++
  }
  const server = await startTestServer(addRoutes, {
    observers: [metrics.observe, countGone],
    overload: {
      maxInFlight: permits,
      identifyHolder: ({ routeOptions, headers }) =>
        routeOptions.url === '/api/v1/work' ? (headers['x-holder'] as string) : null,
    },
  })
  const send = (how: string, holder = 'a') => postJson(`${server.url}/api/v1/work`, { how }, { 'x-holder': holder })
  return {
    server,
    metrics,
    send,
    get started() {
      return started
    },
    /** Requests whose connection broke before the reply. */
    get gone() {
      return gone
    },
    get isIdle() {
      return ends.length === 0
    },
    endOne: () => ends.shift()?.(),
    endAll: () => {
      for (const end of ends.splice(0)) end()
    },
    /** Starts requests that wait in their handler. */
    hold: async (count: number, holder = 'a') => {
      const before = started
      const replies = Array.from({ length: count }, () => send('return', holder))
      await expect.poll(() => started).toBe(before + count)
      return Promise.all(replies)
    },
  }
}

test('a request beyond the limit is rejected at once, before its work begins, and counted', async () => {
  const work = await startWork()
  const held = work.hold(share)
  await expect.poll(() => work.started).toBe(share)
  const refused = await work.send('return')
  expectEnvelope(refused, 503, 'service_unavailable')
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(work.started).toBe(share)
  const shed = async () => (await work.metrics.registry.metrics()).match(/^storedex_http_requests_shed_total .*$/m)?.[0]
  await expect.poll(shed).toBe('storedex_http_requests_shed_total 1')
  work.endAll()
  expect((await held).map((reply) => reply.status)).toEqual(Array(share).fill(200))
})

test('a rejected connection is paused for a moment, then read again', async () => {
  const work = await startWork()
  const held = work.hold(share)
  await expect.poll(() => work.started).toBe(share)
  let ours: Socket | undefined
  work.server.app.server.once('connection', (socket: Socket) => {
    ours = socket
  })
  const client = openRequest(work.server, '{"how":"return"}')
  let received = ''
  client.on('data', (chunk) => {
    received += chunk
  })
  await expect.poll(() => received).toContain('HTTP/1.1 503 ')
  await expect.poll(() => ours?.isPaused()).toBe(true)
  client.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
  await expect.poll(() => received).toContain('{"status":"ok"}')
  expect(ours?.isPaused()).toBe(false)
  client.destroy()
  work.endAll()
  await held
})

test('one holder leaves permits for another, and health and documents always answer', async () => {
  const work = await startWork()
  const held = [work.hold(share, 'a')]
  await expect.poll(() => work.started).toBe(share)
  held.push(work.hold(share / 2, 'b'))
  await expect.poll(() => work.started).toBe(share + share / 2)
  expect((await work.send('return', 'a')).status).toBe(503)
  expect((await work.send('return', 'b')).status).toBe(503)
  held.push(work.hold(1, 'c'))
  await expect.poll(() => work.started).toBe(share + share / 2 + 1)
  for (const path of ['/healthz', '/readyz', '/api/v1/openapi.json'])
    expect((await call(work.server.url + path)).status).toBe(200)
  work.endAll()
  await Promise.all(held)
})

test('a request takes no permit before its body has arrived', async () => {
  const work = await startWork()
  const slow = Array.from({ length: permits }, () => openRequest(work.server, '{"how"'))
  await Promise.all(slow.map((socket) => once(socket, 'connect')))
  const held = work.hold(share)
  await expect.poll(() => work.started).toBe(share)
  work.endAll()
  await held
  for (const socket of slow) socket.destroy()
})

test('a request of a disconnected client keeps its permit until its work ends', async () => {
  const work = await startWork()
  const gone = Array.from({ length: share }, () => openRequest(work.server, '{"how":"return"}'))
  await expect.poll(() => work.started).toBe(share)
  for (const socket of gone) socket.destroy()
  await expect.poll(() => work.gone).toBe(share)
  expect((await work.send('return')).status).toBe(503)
  work.endAll()
  await expect.poll(async () => (await work.send('refuse at once')).status).toBe(404)
})

const seed = Date.now() % 2 ** 31

test(`however requests end, every permit is released (seed ${seed})`, async () => {
  const work = await startWork()
  const random = randomOf(seed)
  const ways = ['return', 'send', 'refuse', 'refuse at once', 'throw', 'throw nothing', 'break the reply'] as const
  const bodies = [...ways.map((how) => JSON.stringify({ how })), '{"how":1}', '{}', '{"how":"x"', '', '[]']
  const replies: Promise<unknown>[] = []
  const broken: number[] = []
  let toBreak = 0
  const closed = new Set<number>()
  work.server.app.server.on('connection', (socket: Socket) => {
    const { remotePort } = socket
    closed.delete(remotePort!)
    socket.once('close', () => closed.add(remotePort!))
  })
  for (let step = 0; step < 400; step++) {
    const body = bodies[random(bodies.length)]!
    if (random(3) === 0) {
      const socket = openRequest(work.server, random(4) === 0 ? body.slice(0, 3) : body, body.length, `h${random(3)}`)
      const after = random(6)
      toBreak++
      socket.once('connect', () => {
        broken.push(socket.localPort!)
        setTimeout(() => socket.destroy(), after)
      })
    } else replies.push(postJson(`${work.server.url}/api/v1/work`, body, { 'x-holder': `h${random(3)}` }))
    if (random(2) === 0) work.endOne()
    if (random(10) === 0) await new Promise((resolve) => setTimeout(resolve, random(4)))
  }
  const ending = setInterval(work.endAll, 5)
  await Promise.all(replies)
  const areBroken = () => broken.length === toBreak && broken.every((port) => closed.has(port))
  await expect.poll(() => areBroken() && work.isIdle).toBe(true)
  clearInterval(ending)
  const started = work.started
  const held = work.hold(share, 'newcomer')
  await expect.poll(() => work.started).toBe(started + share)
  expect((await work.send('return', 'newcomer')).status).toBe(503)
  work.endAll()
  expect((await held).map((reply) => reply.status)).toEqual(Array(share).fill(200))
})

/** Sends a request on its own connection, cut after `sent`. */
function openRequest({ port }: TestServer, sent: string, length = 16, holder = 'a') {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const head = ['POST /api/v1/work HTTP/1.1', 'host: x', `x-holder: ${holder}`, 'content-type: application/json']
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${length}\r\n\r\n${sent}`)
  return socket
}

/** Random integers below a bound, the same for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
