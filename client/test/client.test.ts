import { beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../server/test/support/app.ts'
import { Storedex } from '../src/index.ts'

let app: TestApp
let storedex: Storedex
beforeAll(async () => {
  app = await startTestApp({ now: '2026-11-10T12:00:00.000Z' })
  await app.importStores([])
  const key = await app.key({ mode: 'test' })
  storedex = new Storedex({ apiKey: key.secret, baseUrl: app.url })
})

test('usage', async () => {
  const usage = await storedex.usage.get()
  expect(usage.object).toBe('usage')
  const reply = await storedex.usage.get().withResponse()
  expect(reply.remaining.requests_per_minute).toBeGreaterThan(1)
  const store = await storedex.stores.search({ filters: {} }, { maxRows: 3 }).toArray()
  expect((await import('@storedex/client')).Storedex).toBe(Storedex)
  console.log(reply.remaining, reply.requestId, store.length)
})
