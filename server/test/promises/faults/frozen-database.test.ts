import { expect, test } from 'vitest'
import { postgresBudget } from '../../../src/search/engines/postgres/engine.ts'
import { startTestApp } from '../../support/app.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startRelay } from '../../support/relay.ts'

test('while the database hangs every request gets a 503, and the service recovers with it', async () => {
  const { url, serviceUrl } = await createTestDatabase()
  const relay = await startRelay(serviceUrl)
  const environment = { DATABASE_URL: relay.url, DATABASE_OWNER_URL: url }
  const app = await startTestApp({ now: '2026-11-10T12:00:00.000Z', environment, searchBudget: postgresBudget })
  const key = await app.key({ limits: { requests_per_minute: 1_000 } })
  const ready = () => fetch(`${app.url}/readyz`).then((reply) => reply.status)
  expect([(await key.get('/usage')).status, await ready()]).toEqual([200, 200])

  relay.freeze()
  const calls = [
    ...Array.from({ length: 40 }, () => key.get('/usage')),
    key.post('/stores/search', { filters: {} }),
    key.post('/contacts/reveal', { contact_ids: [] }, { 'idempotency-key': 'k' }),
    key.get('/billing/status'),
  ]
  await expect.poll(ready).toBe(503)
  // The database hangs until `thaw`: without a deadline, none of these would be answered.
  const replies = await Promise.all(calls)
  expect(replies.map(({ status, body }) => [status, body.error.code])).toEqual(
    Array(calls.length).fill([503, 'service_unavailable']),
  )
  expect(replies.every(({ headers }) => Number(headers.get('retry-after')) >= 1)).toBe(true)

  relay.thaw()
  await expect.poll(async () => (await key.get('/usage')).status).toBe(200)
  await expect.poll(ready).toBe(200)
})
