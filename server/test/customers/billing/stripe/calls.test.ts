import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestKey } from '../../../support/app.ts'
import { serveOnLoopback } from '../../../support/listen.ts'
import { forwardRequest } from '../support/faulty-proxies.ts'
import { type StandinApp, startAppWithStandin } from '../support/standin-app.ts'

let app: StandinApp
beforeAll(async () => {
  app = await startAppWithStandin('2026-03-10T08:00:00.000Z', { between: startReplayingProxy })
})

// Stripe replays its reply to an idempotency key for a day, also a server error, whether or not the request was executed.
let replayedErrors: 'none' | 'after executing' | 'without executing' = 'none'

/** Answers the first idempotency key of each sequence with an error, and replays it. */
async function startReplayingProxy(target: string): Promise<string> {
  const replayed = new Set<string>()
  return serveOnLoopback(async (request, response) => {
    const body = await buffer(request)
    const key = request.headers['idempotency-key'] as string | undefined
    if (replayedErrors !== 'none' && key?.startsWith('storedex-') && key.endsWith('-1')) {
      if (replayed.has(key)) response.setHeader('idempotent-replayed', 'true')
      else if (replayedErrors === 'after executing') await forwardRequest(target, request, body)
      replayed.add(key)
      response.writeHead(500, { 'content-type': 'application/json' })
      return response.end('{"error":{"type":"api_error","message":"Something went wrong."}}')
    }
    const reply = await forwardRequest(target, request, body)
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(await reply.text())
  })
}

const pages = { returnUrl: 'https://us.example/billing/done', canceledUrl: 'https://us.example/billing/canceled' }
const subscriptionsOf = async (customerId: string) =>
  (await app.stripe('GET', '/v1/subscriptions', { customer: customerId, status: 'all' })).data
const subscribe = (customerId: string, price: string, more: Record<string, string | number> = {}) =>
  app.stripe('POST', '/v1/subscriptions', { customer: customerId, 'items[0][price]': price, ...more })

describe('createCustomer and listSubscriptions', () => {
  test('concurrent and repeated calls create one customer for an account', async () => {
    const account = { publicId: 'acct_once', name: 'Once', email: 'once@buyers.example' }
    const ids = await Promise.all(Array.from({ length: 5 }, () => app.deps.billing.createCustomer(account)))
    ids.push(await app.deps.billing.createCustomer(account))
    expect(new Set(ids).size).toBe(1)
    expect(await app.stripe('GET', `/v1/customers/${ids[0]}`)).toMatchObject({
      name: 'Once',
      email: 'once@buyers.example',
      metadata: { storedex_account: 'acct_once' },
    })
  })

  test('a customer needs no email', async () => {
    const id = await app.deps.billing.createCustomer({ publicId: 'acct_bare', name: 'Bare', email: null })
    expect((await app.stripe('GET', `/v1/customers/${id}`)).email).toBeNull()
  })

  test('a customer is created after a first error of the provider', async () => {
    await app.control('/faults', { fail_next: 1 })
    const id = await app.deps.billing.createCustomer({ publicId: 'acct_again', name: 'Again', email: null })
    expect(id).toMatch(/^cus_/)
  })

  test('all subscriptions of a customer are listed, newest first', async () => {
    const { customerId } = await app.customer()
    expect(await app.deps.billing.listSubscriptions(customerId)).toEqual([])
    const first = await subscribe(customerId, 'price_standin_pro_monthly')
    await app.stripe('DELETE', `/v1/subscriptions/${first.id}`)
    await app.advance(1)
    const second = await subscribe(customerId, 'price_standin_business_annual')
    const [newest, oldest] = await app.deps.billing.listSubscriptions(customerId)
    expect(oldest).toMatchObject({ id: first.id, status: 'canceled', offer: { plan: 'pro', billing: 'monthly' } })
    expect(newest).toMatchObject({
      id: second.id,
      customerId,
      status: 'active',
      offer: { plan: 'business', billing: 'annual' },
      billingCycleAnchor: app.clock.now(),
      currentPeriodEnd: new Date('2027-03-11T08:00:00.000Z'),
      hasPaymentMethod: true,
      cancelAtPeriodEnd: false,
      trialEnd: null,
    })
  })

  test('an unknown customer has no subscriptions', async () => {
    expect(await app.deps.billing.listSubscriptions('cus_nobody')).toEqual([])
  })
})

describe('a link of the provider', () => {
  const opened = async (url: string) => (await fetch(url)).text()

  test('to a checkout shows the plan and expires at the requested time', async () => {
    const { customerId } = await app.customer()
    const checkout = { customerId, plan: 'business', billing: 'annual', accountPublicId: 'acct_1', ...pages } as const
    const expiresAt = new Date(app.clock.now().getTime() + 31 * 60_000)
    const link = await app.deps.billing.createCheckout({ ...checkout, expiresAt })
    expect(link.expiresAt).toEqual(expiresAt)
    expect(await opened(link.url)).toContain('Business')
  })

  test('to a confirmation shows the new plan and changes nothing yet', async () => {
    const { customerId } = await app.customer()
    const { id } = await subscribe(customerId, 'price_standin_pro_monthly')
    const change = { customerId, subscriptionId: id, plan: 'business', billing: 'monthly', ...pages } as const
    const link = await app.deps.billing.createUpdateConfirmation(change)
    expect(link.expiresAt).toBeNull()
    expect(await opened(link.url)).toContain('Business')
    expect((await app.deps.billing.listSubscriptions(customerId))[0]!.offer!.plan).toBe('pro')
  })

  const portalAt = async (opensAt: 'home' | 'payment_method') => {
    const { customerId } = await app.customer()
    return app.deps.billing.createPortal({ customerId, returnUrl: pages.returnUrl, opensAt })
  }

  test('to the portal opens its home', async () => {
    expect(await opened((await portalAt('home')).url)).toContain('<h1>Your plan and payments</h1>')
  })

  test('to the payment method in the portal opens there, and the rest of the portal is reached afterwards', async () => {
    const { url } = await portalAt('payment_method')
    const page = await opened(url)
    expect(page).toContain('<h1>Change your card</h1>')
    expect(page).toContain(`href="${pages.returnUrl}"`)
    const [, token] = /name="token" value="([^"]+)"/.exec(page)!
    const body = new URLSearchParams({ token: token!, card: 'works' })
    const saved = await fetch(`${url}/card`, { method: 'POST', body })
    expect(await saved.text()).toContain('<h1>Your plan and payments</h1>')
  })

  test('to the payment method opens the home of a portal that does not allow to change it', async () => {
    const [configuration] = (await app.stripe('GET', '/v1/billing_portal/configurations', { is_default: 'true' })).data
    const allow = (enabled: string) =>
      app.stripe('POST', `/v1/billing_portal/configurations/${configuration.id}`, {
        'features[payment_method_update][enabled]': enabled,
      })
    await allow('false')
    expect(await opened((await portalAt('payment_method')).url)).toContain('<h1>Your plan and payments</h1>')
    await allow('true')
  })
})

describe('a trial at the provider', () => {
  const startTrial = (customerId: string, accountPublicId: string, endsAt: Date) =>
    app.deps.billing.startTrial({ customerId, plan: 'pro', billing: 'monthly', endsAt, accountPublicId })
  const inDays = (days: number) => new Date(app.clock.now().getTime() + days * 86_400_000)
  let key: TestKey & { customerId: string }

  test('starts once for concurrent calls with different ends', async () => {
    key = await app.customer()
    await Promise.all([14, 15, 16].map((days) => startTrial(key.customerId, key.account, inDays(days))))
    await startTrial(key.customerId, key.account, inDays(30))
    const subscriptions = await subscriptionsOf(key.customerId)
    expect(subscriptions.map(({ status }: { status: string }) => status)).toEqual(['trialing'])
  })

  test('ends once for concurrent calls', async () => {
    const [{ id }] = await subscriptionsOf(key.customerId)
    await Promise.all([1, 2, 3].map(() => app.deps.billing.endTrial(id)))
    await app.deps.billing.endTrial(id)
    const subscription = await app.stripe('GET', `/v1/subscriptions/${id}`)
    expect(subscription).toMatchObject({ status: 'active' })
    const paid = await app.stripe('GET', '/v1/invoices', { subscription: id })
    expect(paid.data.filter(({ amount_paid }: { amount_paid: number }) => amount_paid > 0)).toHaveLength(1)
  })

  test('can start after an earlier one has ended', async () => {
    const { customerId, account } = await app.customer()
    await startTrial(customerId, account, inDays(14))
    const [{ id }] = await subscriptionsOf(customerId)
    await app.stripe('DELETE', `/v1/subscriptions/${id}`)
    await startTrial(customerId, account, inDays(20))
    const statuses = (await subscriptionsOf(customerId)).map(({ status }: { status: string }) => status)
    expect(statuses.toSorted()).toEqual(['canceled', 'trialing'])
  })

  test('without a payment method leaves no open invoice at its end', async () => {
    const customerId = await app.deps.billing.createCustomer({ publicId: 'acct_cardless', name: 'C', email: null })
    await startTrial(customerId, 'acct_cardless', inDays(14))
    await app.advance(15)
    expect((await app.deps.billing.listSubscriptions(customerId))[0]).toMatchObject({ status: 'canceled' })
  })
})

describe.each(['after executing', 'without executing'] as const)(
  'a server error that Stripe replays, %s the request,',
  (kind) => {
    const retried = async <T>(work: () => Promise<T>): Promise<T> => {
      replayedErrors = kind
      try {
        return await work()
      } finally {
        replayedErrors = 'none'
      }
    }

    test('does not prevent the creation of a customer', async () => {
      const account = { publicId: `acct_kept_${kind.replaceAll(' ', '_')}`, name: 'Kept', email: null }
      const id = await retried(() => app.deps.billing.createCustomer(account))
      expect(await retried(() => app.deps.billing.createCustomer(account))).toBe(id)
    })

    test('leads to one trial that ends once', async () => {
      const { customerId, account } = await app.customer()
      const endsAt = new Date(app.clock.now().getTime() + 14 * 86_400_000)
      const trial = { customerId, plan: 'pro', billing: 'monthly', endsAt, accountPublicId: account } as const
      await retried(() => app.deps.billing.startTrial(trial))
      const subscriptions = await subscriptionsOf(customerId)
      expect(subscriptions).toHaveLength(1)
      const [{ id }] = subscriptions
      await retried(() => app.deps.billing.endTrial(id))
      expect(await app.stripe('GET', `/v1/subscriptions/${id}`)).toMatchObject({ status: 'active' })
      const { data } = await app.stripe('GET', '/v1/invoices', { subscription: id })
      expect(data.filter(({ amount_paid }: { amount_paid: number }) => amount_paid > 0)).toHaveLength(1)
    })
  },
)
