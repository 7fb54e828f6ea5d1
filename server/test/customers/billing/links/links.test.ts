import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { scopes } from '../../../../src/customers/auth/caller.ts'
import { startTimeBudget } from '../../../../src/customers/billing/links/counted-links.ts'
import { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import { createLogger } from '../../../../src/foundation/runtime/logger.ts'
import type { TestKey } from '../../../support/app.ts'
import { deferred, startAppWithTestProvider, takeCalls } from '../support/test-provider-app.ts'

const lines: string[] = []
const setup = await startAppWithTestProvider({
  log: createLogger({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } }),
})
const { app, provider, free, customer, accountRow } = setup

beforeEach(() => {
  provider.before = () => {}
  provider.unsold.clear()
  provider.calls.length = 0
})

const subscribe = (key: TestKey, body: object = { plan: 'business' }) => key.post('/billing/subscription-link', body)
const manage = (key: TestKey) => key.post('/billing/portal-link', undefined)
const unavailable = () => {
  throw new Refusal('billing_provider_unavailable', 'The payment provider does not answer; try again in a moment.', {
    cause: new Error('connection refused'),
  })
}

describe('a subscription link', () => {
  test('leads to a checkout without a trial if there is no subscription, and back to our pages', async () => {
    const key = await free()
    const reply = await subscribe(key, { plan: 'pro', billing: 'annual' })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.body).toEqual({
      object: 'billing_link',
      kind: 'checkout',
      url: provider.urls.at(-1),
      target_plan: 'pro',
      target_billing: 'annual',
      expires_at: '2026-11-11T12:00:00.000Z',
      requires_customer_confirmation: true,
      request_id: reply.headers.get('x-request-id'),
    })
    const base = app.deps.config.publicUrl ?? 'http://127.0.0.1:0'
    expect(provider.calls).toEqual([
      { call: 'createCustomer', input: { publicId: key.account, name: 'Test account', email: null } },
      {
        call: 'createCheckout',
        input: {
          customerId: `cus_${key.account}`,
          accountPublicId: key.account,
          plan: 'pro',
          billing: 'annual',
          returnUrl: `${base}/billing/done?plan=pro&billing=annual`,
          canceledUrl: `${base}/billing/canceled?plan=pro&billing=annual`,
          expiresAt: new Date('2026-11-10T12:31:00.000Z'),
        },
      },
    ])
  })

  test('is for monthly billing by default', async () => {
    expect((await subscribe(await free())).body).toMatchObject({ target_plan: 'business', target_billing: 'monthly' })
  })

  test('leads a subscriber to the confirmation of a higher plan', async () => {
    const key = await customer({ id: 'sub_up' })
    expect((await subscribe(key)).body).toMatchObject({
      kind: 'subscription_update_confirm',
      target_plan: 'business',
      target_billing: 'monthly',
      expires_at: null,
    })
    expect(provider.calls.at(-1)).toMatchObject({
      call: 'createUpdateConfirmation',
      input: { customerId: `cus_${key.account}`, subscriptionId: 'sub_up', plan: 'business', billing: 'monthly' },
    })
  })

  test.each(['past_due', 'unpaid', 'incomplete', 'paused'])(
    'leads a subscription that is %s to the payment method in the portal, without a target plan',
    async (status) => {
      const key = await customer({ status, hasPaymentMethod: status !== 'paused' })
      expect((await subscribe(key)).body).toMatchObject({
        kind: 'billing_portal',
        target_plan: null,
        target_billing: null,
      })
      expect(provider.calls.at(-1)).toMatchObject({ call: 'createPortal', input: { opensAt: 'payment_method' } })
    },
  )

  test('leads to the home of the portal, where a paused subscription with a payment method is resumed', async () => {
    const key = await customer({ status: 'paused', hasPaymentMethod: true })
    expect((await subscribe(key)).body.kind).toBe('billing_portal')
    expect(provider.calls.at(-1)).toMatchObject({ call: 'createPortal', input: { opensAt: 'home' } })
  })

  test.each([
    ['the current plan', [{}], { plan: 'pro' }, 'unsupported_plan_change'],
    [
      'a lower plan',
      [{ offer: { plan: 'business', billing: 'monthly' } }],
      { plan: 'pro', billing: 'annual' },
      'unsupported_plan_change',
    ],
    [
      'monthly instead of annual billing',
      [{ offer: { plan: 'pro', billing: 'annual' } }],
      { plan: 'pro' },
      'unsupported_plan_change',
    ],
    ['any plan, with two subscriptions', [{ id: 'sub_2' }, {}], { plan: 'business' }, 'billing_support_required'],
    ['any plan, with an unknown price', [{ offer: null }], { plan: 'business' }, 'billing_support_required'],
    ['a plan that is not for sale', [{}], { plan: 'enterprise' }, 'billing_support_required'],
  ] as const)('to %s is refused with 409', async (_what, subscriptions, body, code) => {
    provider.unsold.add('enterprise_monthly')
    const key = await customer(...subscriptions)
    const reply = await subscribe(key, body)
    expect({ status: reply.status, ...reply.body.error }).toMatchObject({
      status: 409,
      type: 'invalid_request_error',
      code,
    })
    expect(takeCalls(provider)).not.toContain('createUpdateConfirmation')
  })

  test('for a granted plan leads to a checkout of a higher plan, and of any plan once access is closed', async () => {
    const key = await app.key({ scopes, plan: 'business' })
    expect((await subscribe(key)).body.error.code).toBe('unsupported_plan_change')
    expect((await subscribe(key, { plan: 'enterprise' })).body.kind).toBe('checkout')
    await app.setAccount(key.account, { status: 'past_due' })
    expect((await subscribe(key, { plan: 'pro' })).body.kind).toBe('checkout')
  })

  test.each([
    [{ plan: 'free' }, 'invalid_plan', 'plan'],
    [{ plan: 'Business' }, 'invalid_plan', 'plan'],
    [{ plan: 'pro', billing: 'weekly' }, 'invalid_billing', 'billing'],
    [{ plan: 7 }, 'invalid_request', 'plan'],
    [{ plan: 'pro', billing: null }, 'invalid_request', 'billing'],
    [{}, 'missing_parameter', 'plan'],
    [{ plan: 'pro', price: 'price_1' }, 'unknown_parameter', 'price'],
    [{ plan: 'pro', success_url: 'https://elsewhere.example' }, 'unknown_parameter', 'success_url'],
  ])('requested with %j is refused with 400', async (body, code, param) => {
    const reply = await subscribe(await free(), body)
    expect({ status: reply.status, ...reply.body.error }).toMatchObject({ status: 400, code, param })
    expect(provider.calls).toEqual([])
  })
})

describe('a subscription link after lost events', () => {
  test('uses the provider’s state and stores it: a plan that was bought', async () => {
    const key = await customer({ id: 'sub_not_synced' })
    expect((await key.get('/usage')).status).toBe(403)
    expect((await subscribe(key)).body.kind).toBe('subscription_update_confirm')
    expect((await key.get('/usage')).body.plan).toMatchObject({ slug: 'pro', status: 'active' })
  })

  test('uses the provider’s state and stores it: a plan that has ended', async () => {
    const key = await customer({ id: 'sub_over' })
    await subscribe(key)
    provider.subscriptions.get(`cus_${key.account}`)![0]!.status = 'canceled'
    expect((await subscribe(key, { plan: 'pro' })).body.kind).toBe('checkout')
    expect((await key.get('/usage')).status).toBe(403)
  })

  test('changes nothing if the stored state is current', async () => {
    const key = await customer({})
    await subscribe(key)
    const before = await accountRow(key)
    for (const plan of ['business', 'enterprise', 'pro']) await subscribe(key, { plan })
    await manage(key)
    expect(await accountRow(key)).toEqual(before)
  })
})

describe('the customer of an account', () => {
  test('is the same for all concurrent links, even if the provider creates several', async () => {
    const key = await free({ billing_links_per_hour: 20 })
    let created = 0
    const original = provider.createCustomer
    provider.createCustomer = async (account) => `${await original(account)}_${++created}`
    const replies = await Promise.all(Array.from({ length: 8 }, () => subscribe(key)))
    provider.createCustomer = original
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const { customer_id: stored } = await accountRow(key)
    const used = provider.calls.filter(({ call }) => call === 'createCheckout')
    expect(used).toHaveLength(8)
    for (const { input } of used) expect(input).toMatchObject({ customerId: stored })
  })

  test('is kept when the checkout fails, and used the next time', async () => {
    const key = await free()
    provider.before = (call) => (call === 'createCheckout' ? unavailable() : undefined)
    expect((await subscribe(key)).status).toBe(503)
    provider.before = () => {}
    takeCalls(provider)
    expect((await subscribe(key)).status).toBe(200)
    expect(takeCalls(provider)).toEqual(['listSubscriptions', 'createCheckout'])
  })
})

describe('a portal link', () => {
  test('leads to the portal, with or without an empty body', async () => {
    const key = await customer({})
    for (const body of [undefined, {}]) {
      const reply = await key.post('/billing/portal-link', body)
      expect(reply.body).toMatchObject({ kind: 'billing_portal', target_plan: null, url: provider.urls.at(-1) })
    }
    const bare = await fetch(`${app.url}/api/v1/billing/portal-link`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}` },
    })
    expect(bare.status).toBe(200)
    expect(provider.calls.map(({ call }) => call)).toEqual(['createPortal', 'createPortal', 'createPortal'])
    const base = app.deps.config.publicUrl ?? 'http://127.0.0.1:0'
    expect(provider.calls.at(-1)!.input).toMatchObject({ opensAt: 'home', returnUrl: `${base}/billing/done` })
  })

  test.each([
    [{ return_url: 'https://elsewhere.example' }, 'unknown_parameter'],
    [[], 'invalid_request'],
    [null, 'invalid_request'],
    ['x', 'invalid_request'],
  ])('with the body %j is refused with 400', async (body, code) => {
    const reply = await (await customer({})).post('/billing/portal-link', body)
    expect({ status: reply.status, code: reply.body.error.code }).toEqual({ status: 400, code })
  })

  test('of an account without a customer is refused with 404', async () => {
    const reply = await manage(await free())
    expect({ status: reply.status, ...reply.body.error }).toMatchObject({
      status: 404,
      type: 'not_found_error',
      code: 'billing_account_not_found',
    })
    expect(provider.calls).toEqual([])
  })
})

describe('a failing provider', () => {
  test.each(['listSubscriptions', 'createUpdateConfirmation', 'createPortal'] as const)(
    'in %s leads to a 503 that does not count as a link',
    async (broken) => {
      const key = await customer({})
      provider.before = (call) => (call === broken ? unavailable() : undefined)
      const ask = broken === 'createPortal' ? manage : subscribe
      for (let attempt = 0; attempt < 7; attempt++) {
        const reply = await ask(key)
        expect({ status: reply.status, ...reply.body.error }).toMatchObject({
          status: 503,
          type: 'server_error',
          code: 'billing_provider_unavailable',
        })
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(reply.headers.get('x-ratelimit-remaining')).toBe('5')
      }
      provider.before = () => {}
      expect((await ask(key)).headers.get('x-ratelimit-remaining')).toBe('4')
    },
  )

  test('is waited for at most five seconds for all calls of a link together', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const inTime = startTimeBudget()
    const step = async () => {
      const stepped = inTime(delay(3_000)).then(
        () => 'done',
        ({ code }: Refusal) => code,
      )
      await vi.advanceTimersByTimeAsync(3_000)
      return stepped
    }
    const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    expect([await step(), await step()]).toEqual(['done', 'billing_provider_unavailable'])
  })

  test('does not delay other requests', async () => {
    const key = await customer({})
    await subscribe(key)
    const { promise: hung, resolve: release } = deferred<void>()
    provider.before = () => hung
    const waiting = Array.from({ length: 20 }, () => subscribe(key))
    expect((await key.get('/usage')).status).toBe(200)
    expect((await key.get('/billing/status')).status).toBe(200)
    release()
    await Promise.all(waiting)
  })
})

describe('a test key', () => {
  test('gets links to a page that explains test mode, and the provider is not called', async () => {
    const live = await app.key({ scopes })
    const key = await app.keyOf(live.account, { scopes, mode: 'test' })
    await app.setAccount(live.account, { status: 'past_due' })
    for (const plan of ['pro', 'business', 'enterprise']) {
      const reply = await subscribe(key, { plan })
      expect(reply.body).toMatchObject({ kind: 'checkout', target_plan: plan, expires_at: null })
      const page = await fetch(new URL(new URL(reply.body.url).pathname, app.url))
      expect(await page.text()).toContain('test mode')
    }
    expect((await manage(key)).body).toMatchObject({ kind: 'billing_portal', target_plan: null })
    expect(provider.calls).toEqual([])
  })
})

test('the return pages have no scripts and show no data', async () => {
  for (const path of ['/billing/done', '/billing/canceled', '/billing/test']) {
    const page = await fetch(`${app.url}${path}?session_id=cs_1`)
    const html = await page.text()
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(html).toMatch(/<html lang="en">.*<title>.+<\/title>.*<h1>.+<\/h1>/s)
    expect(html).not.toMatch(/<script|cs_1|https?:/)
  }
})

test('the log contains no link', () => {
  expect(provider.urls.length).toBeGreaterThan(20)
  const logged = lines.join('')
  expect(logged).toContain('/billing/subscription-link')
  for (const secret of [...provider.urls, 'capability', 'pay.example'])
    expect(logged.includes(secret), secret).toBe(false)
})
