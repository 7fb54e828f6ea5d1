import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, startChromium } from '../support/chromium.ts'
import { poorContrasts } from '../support/contrast.ts'
import { Shop } from '../support/shop.ts'

const chromiumPath = findChromium()
if (!chromiumPath)
  console.warn('No Chromium was found (CHROMIUM_PATH names one): the pages are not tried in a browser.')

describe.skipIf(!chromiumPath)('in a browser', () => {
  let shop: Shop
  let browser: Browser
  let service: Server
  let base: string
  let serviceUrl: string

  beforeAll(async () => {
    service = createServer((_request, reply) => reply.end('The service')).listen(0, '127.0.0.1')
    await new Promise((listening) => service.once('listening', listening))
    serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    shop = await Shop.open()
    base = await shop.listen()
    browser = await startChromium(chromiumPath!)
  })
  afterAll(async () => {
    await browser?.close()
    await shop?.close()
    service.close()
  })

  /** A new browser window; `complaints` are errors reported by the browser, such as policy violations. */
  async function visitor(
    width = 1_000,
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    return { page, complaints }
  }

  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  /** The focused element: a choice by its value, others by their text. */
  const focused = (page: Page) =>
    page.locator(':focus').evaluate((element) => element.getAttribute('value') ?? element.textContent)

  test('a person subscribes with the keyboard only: first with a declined card, then with a working one', async () => {
    const { page, complaints } = await visitor()
    const checkout = await shop.checkout({
      customer_email: 'ada@aurora.example',
      success_url: `${serviceUrl}/done?session={CHECKOUT_SESSION_ID}`,
      cancel_url: `${serviceUrl}/canceled`,
    })
    await page.goto(base + checkout.path)
    await press(page, 'Tab')
    expect(await focused(page)).toBe('works')
    await press(page, 'ArrowDown', 'Tab')
    expect(await focused(page)).toBe('Pay $49.00 and subscribe')
    await press(page, 'Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('declined')
    expect(await page.title()).toMatch(/^Problem: Subscribe to Pro/)
    await press(page, 'Tab')
    expect(await focused(page)).toBe('declines')
    await press(page, 'ArrowUp', 'Tab', 'Enter')
    await page.waitForURL(`${serviceUrl}/done?session=${checkout.id}`)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a person confirms an upgrade and comes back to the service', async () => {
    const { page, complaints } = await visitor()
    const subscriber = await shop.subscriber()
    const session = await shop.confirmation(subscriber, 'price_standin_business_monthly', {
      'after_completion[type]': 'redirect',
      'after_completion[redirect][return_url]': `${serviceUrl}/upgraded`,
    })
    await page.goto(base + session.path)
    await page.getByRole('button', { name: 'Pay $150.00 and change plan' }).dblclick()
    // Not waitForURL: it fails when the second click aborts the first navigation.
    await expect.poll(() => page.url()).toBe(`${serviceUrl}/upgraded`)
    const { items } = await shop.subscription(subscriber.subscription.id)
    expect(items[0]!.price).toBe('price_standin_business_monthly')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('a person cancels in the portal, reverts it, and changes card and plan', async () => {
    const { page, complaints } = await visitor()
    const { customer } = await shop.subscriber()
    const session = await shop.portal(customer.id, {}, { return_url: `${serviceUrl}/account` })
    await page.goto(base + session.path)
    const click = (role: 'link' | 'button', name: string) => page.getByRole(role, { name }).click()
    const says = async (text: string) => expect(await page.getByRole('status').textContent()).toBe(text)

    await click('link', 'Cancel plan')
    await click('button', 'Cancel plan')
    await says('Your plan is canceled.')
    await click('button', 'Keep this plan')
    await says('Your plan continues.')
    await click('link', 'Change card')
    await page.getByLabel('A card that fails later').check()
    await click('button', 'Save card')
    await says('Your card was changed.')
    await click('link', 'Change plan')
    await page.getByLabel('Business, monthly').check()
    await click('button', 'Review this change')
    await page.getByLabel('A card that works').check()
    await click('button', 'Pay $150.00 and change plan')
    await says('Your plan was changed.')
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Business, monthly',
      'Card',
      'Invoices',
    ])
    await click('link', 'Go back to the service')
    await page.waitForURL(`${serviceUrl}/account`)
    expect(complaints).toEqual([])
    await page.close()
  })

  test.each([
    [320, 'light'],
    [1_000, 'light'],
    [390, 'dark'],
    [1_000, 'dark'],
  ] as const)(
    'at %i pixels, %s, nothing overflows, all text has enough contrast and every control has a name',
    async (width, colorScheme) => {
      const { page, complaints } = await visitor(width, colorScheme)
      const { customer, subscription } = await shop.subscriber('price_standin_enterprise_annual')
      await shop.standin.change(({ db }) => {
        db.update('customers', customer, { email: `${'a-long-name-without-a-break'.repeat(3)}@aurora.example` })
      })
      const [portal, checkout, asking] = [
        await shop.portal(customer.id),
        await shop.checkout({ customer: customer.id }),
        await shop.checkout(),
      ]
      const home = portal.path
      await shop.send(`${home}/card`, { card: 'works' })
      const pages = [
        checkout.path,
        asking.path,
        '/pay/checkout/cs_unknown',
        `${home}?did=card`,
        `${home}/card`,
        `${home}/plans/${subscription.id}`,
        `${home}/change/${subscription.id}?price=price_standin_pro_monthly`,
        `${home}/cancel/${subscription.id}`,
      ]
      const backgrounds = new Set<string>()
      for (const path of pages) {
        await page.goto(base + path)
        backgrounds.add(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'))
        expect(await page.locator('html').evaluate((html) => html.scrollWidth), path).toBe(width)
        expect(await page.locator('main').evaluate((main) => main.offsetWidth), path).toBe(Math.min(width, 640))
        expect(await page.locator('body *').evaluateAll(poorContrasts), path).toEqual([])
        expect(await page.locator('body').ariaSnapshot(), path).not.toMatch(/- (button|link|radio|textbox)(?! ")/)
      }
      expect([...backgrounds]).toEqual([colorScheme === 'dark' ? 'rgb(17, 18, 20)' : 'rgb(244, 245, 247)'])
      expect(complaints).toEqual([])
      await page.close()
    },
  )
})
