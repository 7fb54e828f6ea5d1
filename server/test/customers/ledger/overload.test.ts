import { expect, test } from 'vitest'
import { startTestApp } from '../../support/app.ts'

/** The most in-flight requests of one account: half of 32 for each of sixteen connections. */
const share = 256

test('requests beyond the share of an account are refused at once, uncounted and unpaid; others are answered', async () => {
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([{ domain: 'crowded.example', name: 'Crowded' }])
  const limits = { requests_per_minute: 10_000, requests_per_day: 10_000 }
  const key = await app.key({ limits })
  const sibling = await app.keyOf(key.account, {})
  const [other, sandbox] = [await app.key({}), await app.keyOf(key.account, { mode: 'test' })]
  // From here on the server knows which account each key belongs to.
  for (const each of [key, sibling, other, sandbox]) expect((await each.get('/usage')).status).toBe(200)

  const client = await app.db.connect()
  await client.query('begin')
  await client.query('select from request_windows where account_id = $1 for update', [app.accountNumber(key.account)])
  const search = (index: number) => (index % 2 ? key : sibling).post('/stores/search', { filters: {}, limit: 1 })
  const replies = Array.from({ length: share + 20 }, (_, index) => search(index))
  let shed = 0
  for (const reply of replies)
    void reply.then(({ status, headers, body }) => {
      if (status !== 503 || !/too many requests/.test(body.error.message)) return
      expect(headers.get('retry-after')).toBe('1')
      expect(body.error.code).toBe('service_unavailable')
      shed++
    })
  // The other requests still wait for the database.
  await expect.poll(() => shed).toBe(20)
  expect((await sandbox.get('/usage')).status).toBe(503)
  const newcomer = other.get('/usage')
  await client.query('commit')
  client.release()

  expect((await newcomer).status).toBe(200)
  const statuses = (await Promise.all(replies)).map((reply) => reply.status)
  const answered = statuses.filter((status) => status === 200).length
  expect(answered).toBeGreaterThan(0)
  expect(statuses.filter((status) => status === 503)).toHaveLength(share + 20 - answered)
  const { body } = await key.get('/usage')
  expect(body.store_exports.used).toBe(1)
  // On a slow machine some reach their deadline, the last of them when they are already paid. No refused one is counted.
  for (const used of [body.search_rows.used, body.api_requests.used - 3]) {
    expect(used).toBeGreaterThanOrEqual(answered)
    expect(used).toBeLessThanOrEqual(share)
  }
  expect(shed).toBe(20)
})
