import { expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'

/** What one account may have at work at once: half of 32 requests for each of sixteen connections. */
const share = 256

test('what an account asks beyond its share is refused at once, uncounted and unpaid; others are answered', async () => {
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([{ domain: 'crowded.example', name: 'Crowded' }])
  const limits = { requests_per_minute: 10_000, requests_per_day: 10_000 }
  const key = await app.key({ limits })
  const sibling = await app.keyOf(key.account, {})
  const [other, sandbox] = [await app.key({}), await app.keyOf(key.account, { mode: 'test' })]
  // Whose keys they are is known from here on.
  for (const each of [key, sibling, other, sandbox]) expect((await each.get('/usage')).status).toBe(200)

  const client = await app.db.connect()
  await client.query('begin')
  await client.query('select from request_windows where account_id = $1 for update', [app.accountNumber(key.account)])
  const search = (index: number) => (index % 2 ? key : sibling).post('/stores/search', { filters: {}, limit: 1 })
  const replies = Array.from({ length: share + 20 }, (_, index) => search(index))
  const refused: number[] = []
  for (const [index, reply] of replies.entries())
    void reply.then(({ status, headers, body }) => {
      if (status !== 503) return
      expect(headers.get('retry-after')).toBe('1')
      expect(body.error.code).toBe('service_unavailable')
      refused.push(index)
    })
  // The others are still waiting for the database.
  await expect.poll(() => refused.length, { timeout: 10_000 }).toBe(20)
  expect((await sandbox.get('/usage')).status).toBe(503)
  const newcomer = other.get('/usage')
  await client.query('commit')
  client.release()

  expect((await newcomer).status).toBe(200)
  const statuses = (await Promise.all(replies)).map((reply) => reply.status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(share)
  const { body } = await key.get('/usage')
  expect(body).toMatchObject({
    search_rows: { used: share },
    store_exports: { used: 1 },
    api_requests: { used: share + 3 },
  })
})
