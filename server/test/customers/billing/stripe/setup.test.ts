import { beforeAll, describe, expect, test } from 'vitest'
import { createStandin } from '../../../../../stripe-standin/src/app.ts'
import { handledEventTypes } from '../../../../src/customers/billing/sync/webhooks.ts'
import type { Config } from '../../../../src/operations/config.ts'
import { openCommandLine, runCommand } from '../../../doors/cli/support/run-command.ts'
import { atEnd } from '../../../support/cleanup.ts'
import type { Json } from '../../../support/client.ts'

const line = openCommandLine('2026-03-10T08:00:00.000Z')
const publicUrl = 'https://storedex.example'
const secretKey = 'sk_test_of_the_setup'

let stripeUrl: string
beforeAll(async () => {
  // Without products and prices.
  const { app } = await createStandin({ plans: [], secretKey })
  stripeUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  atEnd(() => app.close())
})

async function stripe(path: string): Promise<Json> {
  const reply = await fetch(`${stripeUrl}/v1${path}`, { headers: { authorization: `Bearer ${secretKey}` } })
  return reply.json()
}

function run(args: string[], changes: Partial<Config> = {}) {
  const { config } = line.deps
  const access = { secretKey, webhookSecrets: [], apiBase: stripeUrl, prices: {} }
  return runCommand({ ...line.deps, config: { ...config, publicUrl, stripe: access, ...changes } }, args)
}

async function setUp(...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await run(['billing', 'setup', '--json', ...args])
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

describe('billing setup', () => {
  let first: Json

  test('creates all missing objects at Stripe', async () => {
    first = await setUp('--amount', 'pro_monthly=59', '--amount', 'pro_annual=590.50', '--currency', 'EUR')
    expect(Object.keys(first.prices)).toEqual([
      'pro_monthly',
      'pro_annual',
      'business_monthly',
      'business_annual',
      'enterprise_monthly',
      'enterprise_annual',
    ])
    expect(first.webhook_secret).toMatch(/^whsec_/)
    expect(first.created).toHaveLength(3 + 6 + 2)
    const { data } = await stripe('/prices?limit=20')
    const prices = Object.fromEntries(data.map((price: Json) => [price.lookup_key, price]))
    expect(prices.storedex_pro_monthly).toMatchObject({
      id: first.prices.pro_monthly,
      product: 'storedex_pro',
      currency: 'eur',
      unit_amount: 5_900,
      recurring: { interval: 'month' },
    })
    expect(prices.storedex_pro_annual).toMatchObject({ unit_amount: 59_050, recurring: { interval: 'year' } })
    expect(prices.storedex_business_monthly).toMatchObject({ product: 'storedex_business', unit_amount: 19_900 })
  })

  test('subscribes the webhook endpoint of PUBLIC_URL to all handled event types', async () => {
    const { data } = await stripe('/webhook_endpoints')
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({
      id: first.webhook_endpoint,
      url: `${publicUrl}/webhooks/stripe`,
      enabled_events: [...handledEventTypes],
      status: 'enabled',
    })
  })

  test('lets customers upgrade at once, and downgrade or cancel at the end of the period', async () => {
    const { features } = await stripe(`/billing_portal/configurations/${first.portal_configuration}`)
    expect(features).toMatchObject({
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      payment_method_update: { enabled: true },
      invoice_history: { enabled: true },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        proration_behavior: 'always_invoice',
        schedule_at_period_end: {
          conditions: [{ type: 'decreasing_item_amount' }, { type: 'shortening_interval' }],
        },
      },
    })
  })

  test('finds all existing objects when repeated, and changes no price', async () => {
    const again = await setUp('--amount', 'pro_monthly=99')
    expect(again).toEqual({ ...first, webhook_secret: null, created: [] })
    expect(await stripe(`/prices/${first.prices.pro_monthly}`)).toMatchObject({ unit_amount: 5_900, currency: 'eur' })
    expect((await stripe('/prices?limit=20')).data).toHaveLength(6)
    expect((await stripe('/products?limit=20')).data).toHaveLength(3)
    expect((await stripe('/billing_portal/configurations?is_default=false')).data).toHaveLength(1)
    expect((await stripe('/webhook_endpoints')).data).toHaveLength(1)
  })

  test('creates another webhook endpoint for another PUBLIC_URL', async () => {
    const { code, stdout } = await run(['billing', 'setup', '--json'], { publicUrl: 'https://other.example' })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ created: ['webhook endpoint'], prices: first.prices })
  })

  test('prints environment variables, and the webhook secret only when it is created', async () => {
    const changes = { publicUrl: 'https://third.example' }
    const { stdout } = await run(['billing', 'setup'], changes)
    expect(stdout).toContain(`\nSTRIPE_PRICE_PRO_MONTHLY=${first.prices.pro_monthly}\n`)
    expect(stdout).toMatch(/\nSTRIPE_WEBHOOK_SECRET=whsec_\w+\n$/)
    const again = await run(['billing', 'setup'], changes)
    expect(again.stdout).toContain('\nSTRIPE_PRICE_ENTERPRISE_ANNUAL=')
    expect(again.stdout).not.toContain('whsec_')
  })
})

test.each<[string, Partial<Config>, RegExp]>([
  [
    'without STRIPE_SECRET_KEY',
    { stripe: { secretKey: null, webhookSecrets: [], apiBase: null, prices: {} } },
    /^Set STRIPE_SECRET_KEY first; the local stand-in needs no setup\.\n$/,
  ],
  ['without PUBLIC_URL', { publicUrl: null }, /^Set PUBLIC_URL to the address at which Stripe reaches this/],
])('billing setup fails %s and says what to set', async (_what, changes, sentence) => {
  const { code, stderr } = await run(['billing', 'setup'], changes)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(sentence) })
})

test('billing setup reports that Stripe rejects the key', async () => {
  const stripe = { secretKey: 'sk_test_wrong', webhookSecrets: [], apiBase: stripeUrl, prices: {} }
  const { code, stderr } = await run(['billing', 'setup'], { stripe })
  expect(code).toBe(1)
  expect(stderr).toMatch(/Invalid API Key/)
})

test.each([
  ['--amount', 'gold_monthly=1'],
  ['--amount', 'pro_monthly=1,5'],
  ['--amount', 'pro_monthly=-1'],
  ['--currency', 'euros'],
  ['--currency', 'jpy'],
])('billing setup rejects %s %s as wrong usage', async (...args) => {
  expect((await run(['billing', 'setup', ...args])).code).toBe(2)
})
