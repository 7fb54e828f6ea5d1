import { Agent, get } from 'node:http'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { FailedKeyCounter } from '../../../src/customers/auth/key-directory.ts'
import { Lane } from '../../../src/foundation/db/pool.ts'
import { newApiKey } from '../../../src/foundation/kernel/api-key.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { watchStatements } from '../../support/statements/watch.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
})

const statusWith = async (key: string) => (await app.anon.get('/usage', { authorization: `Bearer ${key}` })).status

test('a new key works at once among many invented ones, and only it is admitted', async () => {
  const real = await app.key({})
  const statements = watchStatements(app.deps.db)
  const madeUp = Array.from({ length: 600 }, () => statusWith(newApiKey('live')))
  const replies = await Promise.all([...madeUp.slice(0, 300), statusWith(real.secret), ...madeUp.slice(300)])
  expect(replies.filter((status) => status === 200)).toHaveLength(1)
  expect(replies.filter((status) => status === 401)).toHaveLength(600)
  const sent = statements()
  expect(sent.filter((name) => name === 'read_key')).toHaveLength(1)
  expect(sent.filter((name) => name === 'select_accounts_of_keys').length).toBeLessThan(601)
})

test("a key is looked up once, and shares the limits of its account's other keys", async () => {
  const one = await app.key({})
  const two = await app.keyOf(one.account, {})
  const statements = watchStatements(app.deps.db)
  for (const key of [one, two, one, two]) expect((await key.get('/usage')).status).toBe(200)
  expect(statements().filter((name) => name === 'select_accounts_of_keys')).toHaveLength(2)
})

test('an ended key gets its own error code, also when it is cached', async () => {
  const key = await app.key({})
  expect((await key.get('/usage')).status).toBe(200)
  await app.revokeKey(key)
  expect((await key.get('/usage')).body.error.code).toBe('revoked_api_key')
})

test('while keys cannot be looked up, known and unknown keys get a 503', async () => {
  const query = vi
    .spyOn(Lane.prototype, 'query')
    .mockRejectedValue(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
  onTestFinished(() => query.mockRestore())
  expect(await statusWith(newApiKey('live'))).toBe(503)
})

describe('an address with many refused keys', () => {
  test('is slowed down per connection, and a real key still works from it', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const timed = async (key: string, use?: Agent) => {
      const startedAt = performance.now()
      const status = await new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}` }
        get(`${app.url}/api/v1/usage`, { ...(use && { agent: use }), headers }, (reply) => {
          reply.resume().on('end', () => resolve(reply.statusCode))
        }).on('error', reject)
      })
      return { status, ms: performance.now() - startedAt }
    }
    const real = await app.key({})
    await Promise.all(Array.from({ length: 105 }, () => statusWith(newApiKey('live'))))
    expect((await timed(newApiKey('live'), agent)).status).toBe(401)
    const rested = await timed(newApiKey('live'), agent)
    expect(rested.status).toBe(401)
    expect(rested.ms).toBeGreaterThan(400)
    expect((await timed(real.secret)).status).toBe(200)
  })

  test('counts as one IPv6 network, and is reset after a minute', () => {
    const failed = new FailedKeyCounter()
    for (let i = 0; i < 100; i++) expect(failed.recordFailure(`2001:db8:1:2::${i + 1}`, 0)).toBe(0)
    expect(failed.recordFailure('2001:db8:1:2:ffff::1', 1_000)).toBeGreaterThan(0)
    expect(failed.recordFailure('2001:db8:1:3::1', 1_000)).toBe(0)
    expect(failed.recordFailure('2001:db8:1:2::1', 61_000)).toBe(0)
  })

  test('takes bounded memory for any number of addresses', () => {
    const failed = new FailedKeyCounter()
    for (let i = 0; i < 30_000; i++) failed.recordFailure(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 0)
    expect(failed.size).toBeLessThanOrEqual(10_000)
  })
})
