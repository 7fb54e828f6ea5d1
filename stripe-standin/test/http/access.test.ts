import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createStandin } from '../../src/app.ts'
import { startProgram } from '../support/program.ts'
import { authHeader, idOf, openWorld, secretKey, subscribed, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const wrongKeys: [string, Record<string, string>][] = [
  ['no key', {}],
  ['the key that every stand-in had once', { authorization: 'Bearer sk_test_standin' }],
  ['a part of the key', { authorization: `Bearer ${secretKey.slice(0, -1)}` }],
  ['more than the key', { authorization: `Bearer ${secretKey}x` }],
  ['the key in another scheme', { authorization: `Digest ${secretKey}` }],
]

describe.each(wrongKeys)('with %s', (_what, headers) => {
  test.each([
    ['GET', '/v1/customers'],
    ['POST', '/v1/customers'],
    ['GET', '/_standin/state'],
    ['POST', '/_standin/clock'],
    ['POST', '/_standin/faults'],
    ['DELETE', '/_standin/faults'],
    ['POST', '/_standin/settings'],
    ['POST', '/_standin/flush'],
    ['POST', '/_standin/subscriptions/sub_x/status'],
  ])('%s %s is rejected', async (method, path) => {
    const reply = await fetch(world.url + path, { method, headers })
    expect([reply.status, await reply.json()]).toMatchObject([401, { error: { type: 'invalid_request_error' } }])
  })
})

test('requests without a key do not use up injected faults', async () => {
  await world.control('faults', { fail_next: 1, status: 500 })
  expect((await fetch(`${world.url}/v1/customers`)).status).toBe(401)
  expect((await fetch(`${world.url}/v1/customers`, { headers: authHeader })).status).toBe(500)
  expect((await fetch(`${world.url}/v1/customers`, { headers: authHeader })).status).toBe(200)
})

test('a body without a key is not read', async () => {
  const { hostname, port } = new URL(world.url)
  for (const path of ['/v1/customers', '/_standin/clock']) {
    const request = httpRequest({ hostname, port, method: 'POST', path })
    request.setHeader('content-length', 900_000)
    request.flushHeaders()
    expect((await replyOf(request)).statusCode).toBe(401)
    request.destroy()
  }
})

test('bodies of controls are limited in size', async () => {
  const body = JSON.stringify({ fail_next: 1, padding: 'x'.repeat(20_000) })
  await expect(world.control('faults', JSON.parse(body))).rejects.toThrow('too large')
})

describe('the Host header', () => {
  const statusFor = async (host: string, path: string, headers: Record<string, string> = {}) => {
    const { hostname, port } = new URL(world.url)
    const request = httpRequest({ hostname, port, path, headers: { ...headers, host }, setHost: false })
    request.end()
    const reply = await replyOf(request)
    return { status: reply.statusCode, body: await text(reply) }
  }
  /** Paths of pages, of the API and of the controls, and an unknown one. */
  const samplePaths = async () => {
    const { customer } = await subscribed(world)
    const portal = await world.stripe.billingPortal.sessions.create({ customer: idOf(customer) })
    const checkout = await world.stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: 'price_standin_pro_monthly', quantity: 1 }],
      success_url: 'https://service.example/done',
    })
    const pages = [portal.url, checkout.url!].map((url) => new URL(url).pathname)
    return [...pages, '/v1/customers', '/_standin/state', '/nowhere']
  }

  test.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:65535', '[::1]', '[::1]:8080'])(
    '%s is accepted',
    async (host) => {
      for (const path of await samplePaths())
        expect([path, (await statusFor(host, path, authHeader)).status]).toEqual([
          path,
          path === '/nowhere' ? 404 : 200,
        ])
    },
  )

  test.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example@127.0.0.1',
    '127.0.0.1@evil.example',
    'localhost:80:80',
    '0.0.0.0',
    '10.0.0.1',
    '[::]',
    '[::ffff:10.0.0.1]',
    '127.0.0.1/',
    '',
  ])('%j is rejected with and without the key, without revealing anything', async (host) => {
    for (const path of await samplePaths()) {
      const reply = await statusFor(host, path, authHeader)
      expect([path, reply.status]).toEqual([path, 421])
      expect(reply.body).not.toMatch(/plan|cus_|object/i)
    }
  })

  test('a request without it is rejected', async () => {
    const { hostname, port } = new URL(world.url)
    const socket = connect(Number(port), hostname)
    socket.end('GET /v1/customers HTTP/1.0\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 421 /)
  })
})

describe('a stand-in started without a key', () => {
  const temporaryFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'standin-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }

  test('generates one and saves it in the state directory, readable by its owner only', async () => {
    const stateDir = temporaryFolder()
    chmodSync(stateDir, 0o755)
    const open = async () => {
      const { app, standin } = await createStandin({ stateDir })
      await standin.change(({ db, now }) => db.put('products', product(now)))
      await app.close()
      return standin.secretKey
    }
    const key = await open()
    expect(key).toMatch(/^sk_test_[\da-f]{48}$/)
    const file = join(stateDir, 'secret-key')
    expect(readFileSync(file, 'utf8').trim()).toBe(key)
    chmodSync(file, 0o644)
    expect(await open()).toBe(key)
    const modeOf = (path: string) => statSync(path).mode & 0o777
    expect([stateDir, file, join(stateDir, 'state.json')].map(modeOf)).toEqual([0o700, 0o600, 0o600])
  })

  test('generates a different one per process without a state directory', async () => {
    const [one, other] = [await createStandin(), await createStandin()]
    onTestFinished(async () => void (await Promise.all([one.app.close(), other.app.close()])))
    expect(one.standin.secretKey).not.toBe(other.standin.secretKey)
  })
})

test('it listens on loopback only', async () => {
  for (const STANDIN_HOST of ['0.0.0.0', '::', '10.0.0.1', 'shop.example'])
    await expect(startProgram({ STANDIN_HOST })).rejects.toThrow('STANDIN_HOST must be')
})

function replyOf(request: ClientRequest): Promise<IncomingMessage> {
  return once(request, 'response').then(([reply]) => reply)
}

function product(created: number) {
  const absent = { description: null, default_price: null, url: null }
  return { id: 'prod_x', created, updated: created, active: true, name: 'X', metadata: {}, ...absent }
}
