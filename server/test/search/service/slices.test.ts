import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { SliceScheduler } from '@storedex/work'
import { expect, test } from 'vitest'
import { startTestApp } from '../../support/app.ts'

/** Pauses wherever work can pause, so that a turn of the event loop has one slice. */
const eagerly = { turnMs: 0, sliceMs: 0, unitsPerLook: 1 }

test('a long search lets other requests through, and finds what a short one would', async () => {
  const slices = new SliceScheduler(eagerly)
  const app = await startTestApp({ now: '2026-11-01T00:00:00Z', engine: 'memory', slices })
  const domains = Array.from({ length: 50 }, (_, index) => `sliced-${index}.example`)
  await app.importStores(domains.map((domain) => ({ domain, name: domain })))
  await app.importContacts(
    domains.map((domain) => ({ store_domain: domain, external_id: '1', first_name: 'Ida', title: domain })),
  )
  const key = await app.key({})
  let ended = 0
  const searches = ['first', 'second'].map(async () => {
    const reply = await key.post('/contacts/search', { store: { domains }, limit: 100 })
    ended++
    return reply
  })
  while (slices.waiting === 0) await yieldToEventLoop()
  let answeredBetween = 0
  while (ended === 0) {
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
    if (ended === 0) answeredBetween++
  }
  expect(answeredBetween).toBeGreaterThan(0)
  for (const { status, body } of await Promise.all(searches)) {
    expect(status).toBe(200)
    expect(body.data).toHaveLength(domains.length)
  }
})
