import { beforeEach, describe, expect, test } from 'vitest'
import { type Scope, scopes } from '../../../../src/customers/auth/caller.ts'
import { rotateKey } from '../../../../src/customers/keys/create-key.ts'
import { startTestApp, type TestKey } from '../../../support/app.ts'
import { createTestProvider, subscribed } from '../../../support/billing-provider.ts'
import { commandsOf } from '../../../support/deps.ts'
import { send, show, type TrialPage, textWithoutRequestId, toLocalUrl } from '../support/trial-page.ts'

const now = '2026-11-10T12:00:00.000Z'
const provider = createTestProvider()
const app = await startTestApp({ now, billing: provider })
beforeEach(() => {
  app.clock.set(now)
  provider.calls.length = 0
})

let customers = 0

/** Creates an account on trial at the provider; returns a key with these scopes. */
async function openTrial(keyScopes: readonly Scope[], traits: { hasPaymentMethod?: boolean } = {}): Promise<TestKey> {
  const key = await app.key({ scopes: keyScopes, trialEnds: '2026-11-19T12:00:00.000Z' })
  const customerId = `cus_${++customers}`
  const trialing = {
    status: 'trialing',
    trialStart: new Date('2026-11-05T12:00:00.000Z'),
    trialEnd: new Date('2026-11-19T12:00:00.000Z'),
  }
  provider.subscriptions.set(customerId, [
    subscribed({ customerId, id: `sub_${customers}`, hasPaymentMethod: true, ...trialing, ...traits }),
  ])
  await app.db.query('update accounts set customer_id = $2, subscription_id = $3 where id = $1', [
    app.accountNumber(key.account),
    customerId,
    `sub_${customers}`,
  ])
  return key
}

async function linkOf(key: TestKey): Promise<string> {
  return toLocalUrl(app, (await key.get('/usage')).body.billing.url)
}

const callsTo = (call: string) => provider.calls.filter((each) => each.call === call)

function expectKeyRefused(page: TrialPage, reason: RegExp): void {
  expect([403, 410]).toContain(page.status)
  expect(page.text).toContain('This link is closed')
  expect(page.text).toMatch(reason)
  expect(page.confirmation).toBeNull()
  expect(textWithoutRequestId(page)).not.toMatch(/Pro|credits/)
}

describe('a trial link can be neither opened nor confirmed once its key', () => {
  test.each<[string, (key: TestKey) => Promise<unknown>, RegExp]>([
    ['is revoked', (key) => app.revokeKey(key), /was revoked/],
    ['is suspended', (key) => app.suspendKey(key), /is suspended/],
    [
      'was rotated and its overlap is over',
      async (key) => {
        await rotateKey(commandsOf(app.deps), key.id, { overlap_seconds: 60 })
        app.clock.advance(60_000)
      },
      /has expired/,
    ],
    [
      'has lost the scopes that return the link',
      (key) =>
        app.db.query(`update api_keys set scopes = '{billing:manage}' where name = 'test key' and account_id = $1`, [
          app.accountNumber(key.account),
        ]),
      /may no longer read usage/,
    ],
  ])('%s', async (_what, end, reason) => {
    const key = await openTrial(scopes)
    const url = await linkOf(key)
    const { confirmation } = await show(url)
    expect(confirmation).not.toBeNull()
    await end(key)
    provider.calls.length = 0
    expectKeyRefused(await show(url), reason)
    expectKeyRefused(await send(url, confirmation), reason)
    expect(provider.calls).toEqual([])
  })

  test('is suspended; it works again once the key is resumed, and other keys do not matter', async () => {
    const key = await openTrial(scopes)
    const url = await linkOf(key)
    const other = await app.keyOf(key.account, { scopes })
    await app.revokeKey(other)
    await app.suspendKey(key)
    expect((await show(url)).status).toBe(403)
    await app.resumeKey(key)
    expect((await show(url)).status).toBe(200)
  })
})

describe('the trial link of a key without billing:manage', () => {
  test('can end the trial', async () => {
    const url = await linkOf(await openTrial(['usage:read']))
    const { confirmation } = await show(url)
    expect((await send(url, confirmation)).status).toBe(303)
    expect(callsTo('endTrial')).toHaveLength(1)
  })

  test.each<[string, () => Promise<TestKey>, string]>([
    ['to a payment method', () => openTrial(['usage:read'], { hasPaymentMethod: false }), 'A payment method is needed'],
    [
      'to the checkout of a trial granted by hand',
      () => app.key({ scopes: ['usage:read'], trialEnds: '2026-11-19T12:00:00.000Z' }),
      'has to be bought',
    ],
    [
      'to a payment that failed',
      async () => {
        const key = await openTrial(['usage:read'])
        return {
          ...key,
          get: async (path: string) => {
            const reply = await key.get(path)
            const [[customerId, [subscription]]] = [...provider.subscriptions].slice(-1) as [
              [string, [ReturnType<typeof subscribed>]],
            ]
            provider.subscriptions.set(customerId, [{ ...subscription, status: 'past_due' }])
            return reply
          },
        }
      },
      'The payment did not go through',
    ],
  ])('does not lead %s; the page says who can do it', async (_what, open, title) => {
    const key = await open()
    const url = await linkOf(key)
    const page = await show(url)
    expect(page.status).toBe(200)
    expect(page.text).toContain(title)
    expect(page.text).toContain('billing:manage')
    expect(page.confirmation).toBeNull()
    expect((await send(url, 'x')).status).toBe(409)
    const links = ['createPortal', 'createPaymentMethodUpdate', 'createCheckout', 'createCustomer']
    expect(provider.calls.filter(({ call }) => links.includes(call))).toEqual([])
  })

  test('does not lead to the provider if the key lost billing:manage after the page was shown', async () => {
    const key = await openTrial(scopes, { hasPaymentMethod: false })
    const url = await linkOf(key)
    const { confirmation } = await show(url)
    await app.db.query(`update api_keys set scopes = '{usage:read}' where account_id = $1`, [
      app.accountNumber(key.account),
    ])
    const answer = await send(url, confirmation)
    expect(answer.status).toBe(409)
    expect(answer.text).toContain('Nothing was changed')
    expect(callsTo('createPaymentMethodUpdate')).toEqual([])
  })
})

describe('a trial page', () => {
  test('leads to the payment method only, and back to the same link with the same expiry', async () => {
    const key = await openTrial(scopes, { hasPaymentMethod: false })
    const url = await linkOf(key)
    app.clock.advance(50 * 60_000)
    await send(url, (await show(url)).confirmation)
    const input = callsTo('createPaymentMethodUpdate')[0]!.input as { returnUrl: string }
    expect(callsTo('createPortal')).toEqual([])
    expect(toLocalUrl(app, input.returnUrl)).toBe(url)
    app.clock.advance(9 * 60_000)
    expect((await show(toLocalUrl(app, input.returnUrl))).status).toBe(200)
    app.clock.advance(60_000)
    expect((await show(toLocalUrl(app, input.returnUrl))).status).toBe(410)
  })

  test('leads to a checkout and back to the same link', async () => {
    const key = await app.key({ scopes, trialEnds: '2026-11-19T12:00:00.000Z' })
    const url = await linkOf(key)
    await send(url, (await show(url)).confirmation)
    const input = callsTo('createCheckout')[0]!.input as { returnUrl: string; canceledUrl: string }
    expect([input.returnUrl, input.canceledUrl].map((link) => toLocalUrl(app, link))).toEqual([url, url])
  })

  test.each<[string, () => Promise<TestKey>]>([
    ['portal pages', () => openTrial(scopes, { hasPaymentMethod: false })],
    ['checkouts', () => app.key({ scopes, trialEnds: '2026-11-19T12:00:00.000Z' })],
  ])('counts %s against the hourly limit of billing links', async (_what, open) => {
    const key = await open()
    await app.setAccount(key.account, { limits: { billing_links_per_hour: 2 } })
    const url = await linkOf(key)
    for (let opened = 0; opened < 2; opened++)
      expect((await send(url, (await show(url)).confirmation)).status).toBe(200)
    const { confirmation } = await show(url)
    provider.calls.length = 0
    const full = await send(url, confirmation)
    expect(full.status).toBe(429)
    expect(full.headers.get('retry-after')).toBe('3600')
    expect(full.text).toContain('Open the link\n      again in 60 minutes')
    expect(provider.calls.map(({ call }) => call)).not.toContain('createPaymentMethodUpdate')
    expect(provider.calls.map(({ call }) => call)).not.toContain('createCheckout')
    const link = await key.post('/billing/subscription-link', { plan: 'business' })
    expect(link.status).toBe(429)
    expect(link.body.error.param).toBe('billing_links')
  })

  test('stays within the hourly limit for concurrent forms and links created by a program', async () => {
    const key = await openTrial(scopes, { hasPaymentMethod: false })
    const url = await linkOf(key)
    expect((await key.post('/billing/portal-link', undefined)).status).toBe(200)
    const { confirmation } = await show(url)
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(url, confirmation)))
    const opened = answers.filter(({ status }) => status === 200)
    expect(opened).toHaveLength(4)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8)
    expect(callsTo('createPaymentMethodUpdate')).toHaveLength(4)
  })

  test('does not count a page that the provider failed to create', async () => {
    const key = await openTrial(scopes, { hasPaymentMethod: false })
    await app.setAccount(key.account, { limits: { billing_links_per_hour: 1 } })
    const url = await linkOf(key)
    const { confirmation } = await show(url)
    provider.before = (call) => {
      if (call === 'createPaymentMethodUpdate') throw new Error('a test error')
    }
    expect((await send(url, confirmation)).status).toBe(500)
    provider.before = () => {}
    expect((await send(url, confirmation)).status).toBe(200)
  })
})
