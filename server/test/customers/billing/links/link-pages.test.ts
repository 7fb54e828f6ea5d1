import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../src/foundation/kernel/errors.ts'
import { startAppWithTestProvider, takeCalls } from '../support/test-provider-app.ts'

const { app, provider } = await startAppWithTestProvider()
provider.prices = [
  { plan: 'pro', billing: 'monthly', price: { amount: 4_900, currency: 'usd', interval: 'month', intervalCount: 1 } },
  {
    plan: 'business',
    billing: 'annual',
    price: { amount: 500_000, currency: 'jpy', interval: 'year', intervalCount: 1 },
  },
]

const textOf = async (path: string) => {
  const page = await fetch(app.url + path)
  expect(page.status).toBe(200)
  return (await page.text()).replace(/<style>.*<\/style>/s, '')
}

describe('the page after a payment page', () => {
  test('names plan and price, and what happens next', async () => {
    const text = await textOf('/billing/done?plan=pro&billing=monthly')
    for (const words of ['Thank you', 'Pro', '$49.00 a month', 'What happens next']) expect(text).toContain(words)
  })

  test('names plan and price of what was not bought', async () => {
    const text = await textOf('/billing/canceled?plan=business&billing=annual')
    for (const words of ['Nothing was bought', 'Business', '¥500,000 a year']) expect(text).toContain(words)
  })

  test('says how it is billed where the price is not known', async () => {
    expect(await textOf('/billing/done?plan=enterprise&billing=annual')).toContain('Annually')
  })

  test.each([
    '',
    '?plan=free&billing=monthly',
    '?plan=pro',
    '?plan=pro&plan=business&billing=monthly',
    '?plan=%3Cb%3E&billing=monthly',
    '?plan=__proto__&billing=monthly',
  ])('names no plan for the address %j', async (query) => {
    takeCalls(provider)
    const text = await textOf(`/billing/done${query}`)
    expect(text).toContain('You are back from the payment provider')
    expect(text).not.toMatch(/<dl>|<b>/)
    expect(takeCalls(provider)).toEqual([])
  })

  test('names no plan that is not for sale', async () => {
    provider.unsold.add('pro_annual')
    expect(await textOf('/billing/done?plan=pro&billing=annual')).not.toContain('<dl>')
  })

  test('works without prices while the provider fails, and does not ask it for every visitor', async () => {
    takeCalls(provider)
    provider.before = () => {
      throw new Refusal('billing_provider_unavailable', 'The payment provider does not answer.')
    }
    for (let visitor = 0; visitor < 3; visitor++)
      expect(await textOf('/billing/done?plan=pro&billing=monthly')).toContain('Monthly')
    expect(takeCalls(provider)).toEqual(['listPrices'])
    provider.before = () => {}
    app.clock.advance(11_000)
    expect(await textOf('/billing/done?plan=pro&billing=monthly')).toContain('$49.00 a month')
  })

  test('speaks to customers: no calls of the API, and a way onward', async () => {
    for (const path of ['/billing/done', '/billing/canceled', '/billing/test', '/billing/trial?token=x']) {
      const text = await textOfAnyStatus(path)
      expect(text, path).not.toMatch(/\/api\/v1|GET |POST |<code>/)
      expect(text, path).toMatch(/where you got|\/docs\/guide/)
    }
  })
})

const textOfAnyStatus = async (path: string) => (await fetch(app.url + path)).text()
