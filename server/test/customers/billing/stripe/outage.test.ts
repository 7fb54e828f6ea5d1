import { afterEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import type { TestKey } from '../../../support/app.ts'
import { createOutageProxy, type ProxyMode } from '../support/faulty-proxies.ts'
import { type Delivery, deliverEvent, startAppWithStandin } from '../support/standin-app.ts'

const proxy = createOutageProxy()
const app = await startAppWithStandin('2026-03-10T08:00:00.000Z', { between: proxy.start })
const store = 'aurora-candles.example'
await app.importStores([{ domain: store, name: 'Aurora Candles' }])
await app.importContacts([
  { store_domain: store, first_name: 'Mara', emails: [{ email: `mara@${store}`, status: 'verified' }] },
])
const deliverDirectly = (delivery: Delivery) => deliverEvent(app.url, delivery)
afterEach(async () => {
  proxy.mode = 'forwards'
  await app.interceptEvents(deliverDirectly)
})

const subscribe = (customer: string) =>
  app.stripe('POST', '/v1/subscriptions', { customer, 'items[0][price]': 'price_standin_pro_monthly' })
const typeOf = ({ body }: Delivery): string => JSON.parse(body.toString()).type

/** Calls every data operation and the billing status; returns the status codes. */
async function callDataOperations(key: TestKey): Promise<Record<string, number>> {
  const found = await key.post('/contacts/search', {})
  const replies = {
    usage: await key.get('/usage'),
    taxonomy: await key.get('/taxonomy'),
    lookup: await key.get(`/stores/${store}`),
    search: await key.post('/stores/search', { filters: {} }),
    enrich: await key.post('/stores/enrich', { domains: [store] }),
    contacts: found,
    reveal: await key.post('/contacts/reveal', { contact_ids: [found.body.data[0].id] }),
    status: await key.get('/billing/status'),
  }
  return Object.fromEntries(Object.entries(replies).map(([name, { status }]) => [name, status]))
}
const allServed = {
  usage: 200,
  taxonomy: 200,
  lookup: 200,
  search: 200,
  enrich: 200,
  contacts: 200,
  reveal: 200,
  status: 200,
}

describe.each<[string, ProxyMode]>([
  ['refuses connections', 'refuses'],
  ['does not answer', 'hangs'],
  ['breaks off its replies', 'breaks off'],
])('while the payment provider %s', (_what, mode) => {
  test('data is served, links answer 503 without counting, and the stored state stays', async () => {
    const key = await app.customer()
    await subscribe(key.customerId)
    await app.advance(0)
    const before = await app.row(key.account)
    expect(before).toMatchObject({ plan: 'pro', status: 'active' })
    proxy.mode = mode
    const links = [
      key.post('/billing/subscription-link', { plan: 'business' }),
      ...Array.from({ length: 4 }, () => key.post('/billing/portal-link', undefined)),
    ]
    expect(await callDataOperations(key)).toEqual(allServed)
    for (const { status, headers, body } of await Promise.all(links)) {
      expect([status, body.error.code]).toEqual([503, 'billing_provider_unavailable'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(await app.row(key.account)).toEqual(before)
    proxy.mode = 'forwards'
    for (let left = 4; left >= 0; left -= 1) {
      const link = await key.post('/billing/portal-link', undefined)
      expect([link.status, link.headers.get('x-ratelimit-remaining')]).toEqual([200, String(left)])
    }
  })

  test('events are answered 503, and handled when they are delivered again', async () => {
    const key = await app.customer()
    const { id, items } = await subscribe(key.customerId)
    await app.advance(0)
    const answers: number[] = []
    await app.interceptEvents(async (delivery) => {
      const status = await deliverDirectly(delivery)
      if (typeOf(delivery) === 'customer.subscription.updated') answers.push(status)
      return status
    })
    proxy.mode = mode
    await app.stripe('POST', `/v1/subscriptions/${id}`, {
      'items[0][id]': items.data[0].id,
      'items[0][price]': 'price_standin_business_monthly',
    })
    await app.advance(0)
    expect(answers[0]).toBe(503)
    expect(new Set(answers).size).toBe(1)
    expect((await key.get('/usage')).body.plan.slug).toBe('pro')
    proxy.mode = 'forwards'
    await app.control('/flush', {})
    expect(answers.at(-1)).toBe(200)
    expect((await key.get('/usage')).body.plan.slug).toBe('business')
  })
})

test('events waiting for a provider that does not answer leave connections for data requests', async () => {
  const deliveries: Delivery[] = []
  await app.interceptEvents(async (delivery) => {
    if (typeOf(delivery) === 'customer.subscription.created') deliveries.push(delivery)
    return 200
  })
  for (let customer = 0; customer < 24; customer += 1) await subscribe((await app.customer()).customerId)
  await app.advance(0)
  expect(deliveries).toHaveLength(24)
  const reader = await app.key({ scopes })

  proxy.mode = 'hangs'
  const answers = Promise.all(deliveries.map(deliverDirectly))
  await expect.poll(proxy.mostWaiting).toBeGreaterThan(0)
  expect(await callDataOperations(reader)).toEqual(allServed)
  // Deliveries that are still queued reach a working provider.
  proxy.mode = 'forwards'
  expect([200, 503]).toEqual(expect.arrayContaining([...new Set(await answers)]))
  // Each of these requests held a connection.
  expect(proxy.mostWaiting()).toBeLessThan(app.deps.db.max)
})
