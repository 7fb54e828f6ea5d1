import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, startChromium } from '../../../../../stripe-standin/test/support/chromium.ts'
import { poorContrasts } from '../../../../../stripe-standin/test/support/contrast.ts'
import { seesEveryVariant } from '../../../promises/browser/support/looks.ts'
import { createClient, type Json, type TestClient } from '../../../support/client.ts'
import { type RunningService, startService } from '../support/service-process.ts'

const chromiumPath = findChromium()
if (!chromiumPath) console.warn('Chromium was not found (set CHROMIUM_PATH): the browser tests of billing are skipped.')

describe.skipIf(!chromiumPath)('a person with a browser', () => {
  let service: RunningService
  let browser: Browser
  beforeAll(async () => {
    service = await startService()
    browser = await startChromium(chromiumPath!)
  })
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  const click = (page: Page, name: string | RegExp) =>
    page.getByRole('button', { name }).or(page.getByRole('link', { name })).click()
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

  async function linkOf(key: TestClient, path: string, body?: object): Promise<Json> {
    const reply = await key.post(path, body)
    expect(reply.status).toBe(200)
    return reply.body
  }

  /** Polls the billing status until it shows the expected plan. */
  async function planOf(key: TestClient, expected: object): Promise<Json> {
    const ask = async () => (await key.get('/billing/status')).body
    await expect.poll(ask, { timeout: 20_000, interval: 500 }).toMatchObject({ plan: expected })
    return ask()
  }

  test('cancels a checkout, buys a plan, upgrades it, and cancels it in the portal', async () => {
    expect(service.billing).toContain('no money moves')
    const { key } = await service.account()
    const page = await browser.newPage()
    expect((await key.get('/usage')).body.error.billing).toMatchObject({ action: 'create_subscription_link' })

    await page.goto((await linkOf(key, '/billing/subscription-link', { plan: 'pro' })).url)
    await click(page, 'Cancel')
    await page.waitForURL(`${service.url}/billing/canceled?plan=pro&billing=monthly`)
    expect(await heading(page)).toBe('Nothing was bought')
    await planOf(key, { slug: 'free', status: 'none' })

    await page.goto((await linkOf(key, '/billing/subscription-link', { plan: 'pro' })).url)
    await click(page, /^Pay .* and subscribe$/)
    await page.waitForURL(`${service.url}/billing/done?plan=pro&billing=monthly`)
    expect(await heading(page)).toBe('Thank you')
    expect(await page.locator('main').textContent()).toContain('$49.00 a month')
    await click(page, 'See your plan')
    // Nobody is signed in here.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await planOf(key, { slug: 'pro', status: 'active' })
    expect((await key.get('/usage')).body).toMatchObject({
      plan: { slug: 'pro', status: 'active' },
      contact_credits: { total: 1_000 },
    })

    const upgrade = await linkOf(key, '/billing/subscription-link', { plan: 'business', billing: 'annual' })
    expect(upgrade.kind).toBe('subscription_update_confirm')
    await page.goto(upgrade.url)
    await planOf(key, { slug: 'pro' })
    await click(page, /^Pay .* and change plan$/)
    await page.waitForURL(`${service.url}/billing/done?plan=business&billing=annual`)
    await planOf(key, { slug: 'business', billing: 'annual', status: 'active' })

    await page.goto((await linkOf(key, '/billing/portal-link')).url)
    await click(page, 'Cancel plan')
    await planOf(key, { cancel_at_period_end: false })
    await click(page, 'Cancel plan')
    const { api_access, plan } = await planOf(key, { slug: 'business', cancel_at_period_end: true })
    expect({ api_access, ends: plan.current_period_end }).toEqual({
      api_access: { enabled: true },
      ends: expect.any(String),
    })
    await page.close()
  })

  test('adds a card and ends a trial on the trial page, and gets the credits of the paid plan', async () => {
    const { id, key } = await service.account()
    await service.command('accounts', 'trial', id, '--days', '14')
    const before = (await key.get('/usage')).body
    expect(before).toMatchObject({
      plan: { slug: 'pro', status: 'trialing' },
      contact_credits: { total: 250, paid_plan_total: 1_000 },
      billing: { can_unlock_paid_credits_now: false },
    })

    const page = await browser.newPage()
    await page.goto(before.billing.url)
    expect(await heading(page)).toBe('A payment method is needed first')
    await click(page, 'Add a payment method')
    // The provider's page only adds the card, and returns here.
    await page.getByRole('heading', { name: 'Add a card' }).waitFor()
    expect(await page.getByRole('link', { name: /plan/i }).count()).toBe(0)
    await page.getByLabel('A card that works').check()
    await click(page, 'Save card')
    await page.getByRole('heading', { name: 'Start the paid Pro plan now' }).waitFor()
    expect(page.url()).toBe(before.billing.url)
    expect((await key.get('/usage')).body.contact_credits.total).toBe(250)
    await click(page, 'End the trial and start the paid plan')
    await page.getByRole('heading', { name: 'The paid Pro plan is active' }).waitFor()
    expect((await key.get('/usage')).body).toMatchObject({
      plan: { slug: 'pro', status: 'active', trial: { active: false } },
      contact_credits: { total: 1_000, remaining: 1_000 },
    })
    await page.close()
  })

  test('sees pages without overflow and with enough contrast, narrow and wide, light and dark', async () => {
    const { id, key } = await service.account()
    await service.command('accounts', 'trial', id, '--days', '14')
    const urlOf = async (holder: TestClient) => (await holder.get('/usage')).body.billing.url
    const url = await urlOf(key)
    // A key without billing:manage, and one that is revoked before its link is opened.
    const [plain, gone] = await Promise.all(
      ['plain', 'gone'].map((name) => service.command('keys', 'create', id, '--name', name)),
    )
    const [plainUrl, goneUrl] = await Promise.all(
      [plain, gone].map((made) => urlOf(createClient(service.url, made.key))),
    )
    await service.command('keys', 'revoke', gone.id)
    const pages = [
      url,
      plainUrl,
      goneUrl,
      '/billing/done',
      '/billing/done?plan=business&billing=annual',
      '/billing/canceled?plan=business&billing=annual',
      '/docs/guide',
      '/docs/sandbox',
      '/nothing/here',
      '/billing/test',
      '/billing/trial?token=unknown',
    ]
    const page = await browser.newPage()
    const consoleErrors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        consoleErrors.push(message.text())
    })
    const schemes = seesEveryVariant ? (['light', 'dark'] as const) : (['light'] as const)
    for (const colorScheme of schemes)
      for (const width of seesEveryVariant ? [320, 1_000] : [320]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        for (const address of pages) {
          await page.goto(new URL(address, service.url).href)
          expect(await page.locator('html').evaluate((html) => html.scrollWidth), address).toBe(width)
          expect(await page.locator('body *').evaluateAll(poorContrasts), address).toEqual([])
        }
      }
    expect(consoleErrors).toEqual([])
    await page.close()
  })
})
