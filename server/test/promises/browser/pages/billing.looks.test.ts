import { pickFreePort } from '@storedex/embedded-postgres/settings'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { newOwner, subscribe } from '../../../customers/billing/members/support/console-billing.ts'
import { deliverEvent, startAppWithStandin } from '../../../customers/billing/support/standin-app.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { takeProblems } from '../support/console-page.ts'
import { expectGoodLooks, screenshot } from '../support/looks.ts'

type BillingApp = Awaited<ReturnType<typeof startAppWithStandin<BrowserApp>>>

/** The provider's pages lead back to the app, so its address has to be known before it starts. */
async function startBillingApp(): Promise<BillingApp> {
  const port = await pickFreePort()
  return startAppWithStandin(new Date().toISOString(), {
    startApp: ({ environment, ...options }) =>
      startBrowserApp({ ...options, port, environment: { ...environment, PUBLIC_URL: `http://127.0.0.1:${port}` } }),
  })
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const plan = (page: Page, name: string) => page.getByRole('radio', { name: new RegExp(`^${name}`) })

describeInBrowser('the billing page', () => {
  let app: BillingApp
  beforeAll(async () => {
    app = await startBillingApp()
  })

  /** The pages of the payment provider are the only other host. */
  const expectOnlyProvider = (page: Page) => {
    const others = takeProblems(page).filter((text) => !text.startsWith(`request to another host: ${app.standinUrl}`))
    expect(others).toEqual([])
  }
  const lapsedOwner = async () => {
    const owner = await newOwner(app, { name: 'Mara Owner' })
    const { id } = await subscribe(app, owner.customerId, 'business_monthly')
    await app.stripe('DELETE', `/v1/subscriptions/${id}`)
    await expect.poll(async () => (await owner.billing()).former?.plan).toBe('business')
    return owner
  }

  test('brings a lapsed account back with two clicks', async () => {
    const page = await app.open('/billing', { as: await lapsedOwner() })
    await page.getByText('The plan Business has ended.').waitFor()
    await expectGoodLooks(page, 'billing-lapsed')
    expect(await plan(page, 'Business').isChecked()).toBe(true)
    await button(page, 'Change plan').click()
    await button(page, /^Pay .* and subscribe$/).click()
    await page.getByRole('status').getByText('Your plan is now Business.').waitFor()
    expect(page.url()).toBe(`${app.url}/billing`)
    await page.getByText('Open: searches, reveals and keys work').waitFor()
    expectOnlyProvider(page)
    await expectGoodLooks(page, 'billing-active-again')
  })

  test('opens with the account that an error of the API names, for a member of several', async () => {
    const other = await app.person()
    const key = await app.key({ scopes: ['usage:read'] })
    await app.person({ email: other.email, account: key.account })
    await app.setAccount(key.account, { status: 'past_due' })
    const refused = await key.get('/usage')
    expect(refused.body.error.code).toBe('api_access_required')
    const { pathname, search } = new URL(refused.body.error.billing.url)

    const page = await app.open(pathname + search, { as: other })
    await page.getByText('Payment failed', { exact: true }).waitFor()
    // The address does not hold the person to this account.
    expect(page.url()).toBe(`${app.url}/billing`)

    const stranger = await app.open(pathname + search, { as: await app.person() })
    await stranger.getByText('The link that you opened is about an account that you are not a member of.').waitFor()
    expect(await stranger.getByText('Payment failed', { exact: true }).count()).toBe(0)
  })

  test('leads to an upgrade by keyboard, and says that nothing was bought on the way back', async () => {
    const owner = await newOwner(app)
    await subscribe(app, owner.customerId, 'pro_monthly')
    await expect.poll(async () => (await owner.billing()).plan.slug).toBe('pro')
    const page = await app.open('/billing', { as: owner })
    // What is chosen is in the address, and the next plan up needs no choice.
    await plan(page, 'Business').focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => new URL(page.url()).search).toBe('?plan=enterprise&billing=monthly')
    expect(await plan(page, 'Enterprise').isChecked()).toBe(true)
    await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Change plan')
    await expectGoodLooks(page, 'billing-upgrade')
    await button(page, 'Change plan').focus()
    await page.keyboard.press('Enter')
    await button(page, /^Pay .* and change plan$/).waitFor()
    await page.getByRole('link', { name: 'Go back' }).click()
    await page.getByText('You left the payment page. Nothing was bought').waitFor()
    expectOnlyProvider(page)
    await page.getByText('Annually').click()
    await page.getByText('Business', { exact: true }).click()
    await page.getByText(/Business for .* a year instead of Pro/).waitFor()
  })

  test('ends a trial after a card was added, and says what that means', async () => {
    const owner = await newOwner(app)
    await subscribe(app, owner.customerId, 'pro_monthly', { trial_period_days: 14 })
    await app.stripe('POST', `/v1/customers/${owner.customerId}`, { 'invoice_settings[default_payment_method]': '' })
    await expect.poll(async () => (await owner.billing()).has_payment_method).toBe(false)
    const page = await app.open('/billing', { as: owner })
    await page.getByText('The trial has 250 contact credits').waitFor()
    await expectGoodLooks(page, 'billing-trial')
    await button(page, 'End trial').click()
    await page.getByText('The payment provider needs a payment method first.').waitFor()
    await button(page, 'Add a payment method').click()
    await page.getByLabel('A card that works').check()
    await button(page, 'Save card').click()
    const dialog = page.getByRole('dialog', { name: 'End trial' })
    await dialog.getByText('1,000 a month').waitFor()
    expectOnlyProvider(page)
    await expectGoodLooks(page, 'billing-end-trial')
    await button(page, 'End trial and start Pro').click()
    await page.getByRole('status').getByText('The trial is over. Your plan is now Pro.').waitFor()
    await page.getByText('1,000 of 1,000 left').waitFor()
    expect(await dialog.count()).toBe(0)
  })

  test('opens the portal for a failed payment, and sees the payment arrive', async () => {
    const owner = await newOwner(app)
    const { id } = await subscribe(app, owner.customerId, 'pro_monthly')
    await app.control(`/subscriptions/${id}/status`, { status: 'past_due' })
    await expect.poll(async () => (await owner.billing()).plan.status).toBe('past_due')
    const page = await app.open('/billing', { as: owner })
    await page.getByText('The last payment did not go through.').waitFor()
    await expectGoodLooks(page, 'billing-past-due')
    await button(page, 'Manage billing').click()
    await page
      .getByRole('link', { name: /return|back/i })
      .first()
      .click()
    await page.getByText('If you paid, access opens in a moment.').waitFor()
    expectOnlyProvider(page)
    await app.control(`/subscriptions/${id}/status`, { status: 'active' })
    await page.getByRole('status').getByText('Your plan Pro is open again.').waitFor()
  })

  test('says what to do when the payment provider reports nothing for a minute, and finds it on another try', async () => {
    const owner = await lapsedOwner()
    const page = await app.open('about:blank', { as: owner })
    await page.clock.install()
    await page.goto('/billing?returned=checkout&plan=business&billing=monthly')
    await page.getByText('Waiting for the payment provider…').waitFor()
    await screenshot(page, 'billing-waiting')
    // No second purchase meanwhile.
    expect(await button(page, 'Change plan').getAttribute('aria-disabled')).toBe('true')
    for (let seconds = 0; seconds < 70; seconds += 5) {
      await page.clock.runFor(5_000)
      await page.waitForLoadState('networkidle')
    }
    await page.getByText('The payment provider has not reported a change.').waitFor()
    await expectGoodLooks(page, 'billing-late')
    await subscribe(app, owner.customerId, 'business_monthly')
    await button(page, 'Check again').click()
    await page.getByRole('status').getByText('Your plan is now Business.').waitFor()
  })

  test('tells who is not an owner who can change the plan', async () => {
    const owner = await newOwner(app, { name: 'Mara Owner' })
    await subscribe(app, owner.customerId, 'pro_annual')
    const member = await app.person({ account: owner.account, role: 'member' })
    await expect.poll(async () => (await owner.billing()).api_access.enabled).toBe(true)
    const page = await app.open('/billing', { as: member })
    await page.getByText('Only Mara Owner can change the plan.').first().waitFor()
    for (const name of ['Change plan', 'Manage billing'])
      expect(await button(page, name).getAttribute('aria-disabled')).toBe('true')
    await button(page, 'Change plan').press('Enter')
    expect(new URL(page.url()).pathname).toBe('/billing')
    await expectGoodLooks(page, 'billing-member')
  })

  test('keeps no link of the provider in the browser', async () => {
    await app.interceptEvents((delivery) => deliverEvent(app.url, delivery))
    const page = await app.open('/billing', { as: await lapsedOwner() })
    await button(page, 'Change plan').click()
    await page.waitForURL((url) => url.href.startsWith(app.standinUrl))
    const secret = new URL(page.url()).pathname
    await page.goBack()
    await button(page, 'Change plan').waitFor()
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.body.innerHTML])',
    )
    expect(String(kept)).not.toContain(secret)
    expectOnlyProvider(page)
    // The button works again.
    await button(page, 'Change plan').click()
    await page.waitForURL((url) => url.href.startsWith(app.standinUrl))
    expectOnlyProvider(page)
  })
})
