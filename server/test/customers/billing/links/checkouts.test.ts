import { buffer } from 'node:stream/consumers'
import { beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { reconcileAccounts } from '../../../../src/customers/billing/sync/reconcile.ts'
import type { TestKey } from '../../../support/app.ts'
import { serveOnLoopback } from '../../../support/listen.ts'
import { preventReconciliation } from '../support/fake-stripe-app.ts'
import { forwardRequest } from '../support/faulty-proxies.ts'
import { deliverEvent, startAppWithStandin } from '../support/standin-app.ts'

/** Runs before a request is forwarded to the provider; a returned status refuses the request. */
let onRequest: (request: string) => Promise<number | undefined> = async () => undefined

async function startRefusingProxy(target: string): Promise<string> {
  return serveOnLoopback(async (request, response) => {
    const body = await buffer(request)
    const refusal = await onRequest(`${request.method} ${request.url}`)
    if (refusal !== undefined) {
      response.writeHead(refusal, { 'content-type': 'application/json' })
      return response.end('{"error":{"type":"api_error","message":"Something went wrong."}}')
    }
    const reply = await forwardRequest(target, request, body)
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(await reply.text())
  })
}

const app = await startAppWithStandin('2026-03-10T08:00:00.000Z', { between: startRefusingProxy })
await preventReconciliation(app)
beforeEach(async () => {
  onRequest = async () => undefined
  await app.interceptEvents((delivery) => deliverEvent(app.url, delivery))
})

const ask = (key: TestKey, plan: string) => key.post('/billing/subscription-link', { plan })
const linkOf = async (key: TestKey, plan = 'pro'): Promise<string> => (await ask(key, plan)).body.url
const isOpen = async (url: string) => {
  const page = await fetch(url)
  const text = await page.text()
  if (page.status === 410)
    expect(text).toMatch(/<h1>(?:There is a newer link|This link (?:is no longer needed|was closed|has expired))<\/h1>/)
  return page.status === 200
}
/** Pays on the checkout page. */
const pay = async (url: string) => {
  const token = /name="token" value="([^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? ''
  const body = new URLSearchParams({ token, card: 'works' })
  return (await fetch(url, { method: 'POST', body, redirect: 'manual' })).status
}
const subscriptionsOf = async (customer: string) =>
  (await app.stripe('GET', '/v1/subscriptions', { customer, status: 'all' })).data
/** Creates a subscription without a checkout. */
const subscribe = (customer: string, more: Record<string, string> = {}) =>
  app.stripe('POST', '/v1/subscriptions', { customer, 'items[0][price]': 'price_standin_pro_monthly', ...more })
const loseEvents = () => app.interceptEvents(async () => 200)

test('a checkout can be paid for half an hour, then a new one can be created', async () => {
  const key = await app.customer()
  const { body } = await ask(key, 'pro')
  expect(Date.parse(body.expires_at) - app.clock.now().getTime()).toBe(31 * 60_000)
  await app.advance(30 / 1440)
  expect(await isOpen(body.url)).toBe(true)
  await app.advance(1 / 1440)
  expect(await isOpen(body.url)).toBe(false)
  expect(await isOpen(await linkOf(key))).toBe(true)
})

describe('of several checkouts of an account', () => {
  test('only the newest can be paid', async () => {
    const key = await app.customer()
    const [first, second, third] = [await linkOf(key), await linkOf(key, 'business'), await linkOf(key)]
    expect(await Promise.all([first, second, third].map(isOpen))).toEqual([false, false, true])
    expect(await pay(first)).toBe(410)
    expect(await pay(third)).toBe(303)
    await app.advance(0)
    expect((await key.get('/usage')).body.plan.slug).toBe('pro')
    expect(await subscriptionsOf(key.customerId)).toHaveLength(1)
  })

  test('requested concurrently one can be paid', async () => {
    const key = await app.customer()
    const urls = await Promise.all(['pro', 'business', 'pro', 'business', 'pro'].map((plan) => linkOf(key, plan)))
    const open = await Promise.all(urls.map(isOpen))
    expect(open.filter(Boolean)).toHaveLength(1)
    const statuses = await Promise.all(urls.map(pay))
    expect(statuses.toSorted()).toEqual([303, 410, 410, 410, 410])
    expect(await subscriptionsOf(key.customerId)).toHaveLength(1)
  })

  test('the older stays open if closing it fails, and the failed link does not count', async () => {
    const key = await app.customer()
    const older = await linkOf(key)
    onRequest = async (request) => (request.endsWith('/expire') ? 500 : undefined)
    const refused = await ask(key, 'business')
    expect([refused.status, refused.body.error.code]).toEqual([503, 'billing_provider_unavailable'])
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('4')
    expect(await isOpen(older)).toBe(true)
    onRequest = async () => undefined
    const newer = await linkOf(key, 'business')
    expect([await isOpen(older), await isOpen(newer)]).toEqual([false, true])
  })

  test('two paid at the same moment give the higher plan and need support', async () => {
    const key = await app.customer()
    const made = await Promise.all(
      ['pro', 'business'].map((plan) =>
        app.stripe('POST', '/v1/checkout/sessions', {
          mode: 'subscription',
          customer: key.customerId,
          'line_items[0][price]': `price_standin_${plan}_monthly`,
          'line_items[0][quantity]': 1,
          success_url: 'https://us.example/done',
        }),
      ),
    )
    await loseEvents()
    expect(await Promise.all(made.map(({ url }) => pay(url)))).toEqual([303, 303])
    await reconcileAccounts(app.deps)
    expect((await key.get('/usage')).body.plan.slug).toBe('business')
    expect((await ask(key, 'enterprise')).body.error.code).toBe('billing_support_required')
  })
})

describe('an open checkout is closed after a subscription started elsewhere', () => {
  test.each<[string, (key: TestKey) => Promise<unknown>]>([
    ['the reconciliation', () => reconcileAccounts(app.deps)],
    ['the next link', (key) => ask(key, 'business')],
  ])('by %s, if the events were lost', async (_how, trigger) => {
    const key = await app.customer()
    const url = await linkOf(key)
    await loseEvents()
    await subscribe(key.customerId)
    await app.advance(0)
    expect(await isOpen(url)).toBe(true)
    await trigger(key)
    expect(await isOpen(url)).toBe(false)
  })

  test('by the subscription’s event, which is delivered again until the checkout is closed', async () => {
    const key = await app.customer()
    const url = await linkOf(key)
    onRequest = async (request) => (request.includes('/checkout/sessions') ? 500 : undefined)
    await subscribe(key.customerId)
    await app.advance(0)
    // The plan is stored even though the checkout could not be closed.
    expect((await key.get('/usage')).body.plan.slug).toBe('pro')
    expect(await isOpen(url)).toBe(true)
    onRequest = async () => undefined
    await app.control('/flush', {})
    expect(await isOpen(url)).toBe(false)
  })

  test('by the call that creates it, if the subscription starts meanwhile', async () => {
    const key = await app.customer()
    await loseEvents()
    onRequest = async (request) => {
      if (request === 'POST /v1/checkout/sessions') await subscribe(key.customerId)
      return undefined
    }
    expect(await isOpen(await linkOf(key))).toBe(false)
  })
})

test('a checkout stays open after a first payment that failed', async () => {
  const key = await app.customer()
  const url = await linkOf(key)
  const { status } = await subscribe(key.customerId, { payment_behavior: 'default_incomplete' })
  expect(status).toBe('incomplete')
  await app.advance(0)
  await reconcileAccounts(app.deps)
  expect(await isOpen(url)).toBe(true)
})

test('a provider whose clock is far ahead chooses the expiry of a checkout', async () => {
  const ahead = await startAppWithStandin('2026-03-10T08:00:00.000Z')
  await ahead.control('/clock', { advance_seconds: 40 * 86_400 })
  const key = await ahead.key({ scopes })
  await ahead.setAccount(key.account, { plan: 'free' })
  const { body } = await ask(key, 'pro')
  expect(body.expires_at).toBe('2026-04-20T08:00:00.000Z')
  expect(await isOpen(body.url)).toBe(true)
})
