import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { newLink } from '../../customers/users/support/users.ts'
import { aurora } from '../../support/fixtures.ts'
import type { TestUser } from '../../support/user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { expectGoodLooks, seesEveryVariant } from './support/looks.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const focused = (page: Page) =>
  page.evaluate('document.activeElement.tagName + " " + document.activeElement.textContent')

const names = ['Mara', 'Jonas', 'Elif']

describeInBrowser('everybody can use', () => {
  let app: BrowserApp
  let owner: TestUser
  let invited: TestUser
  beforeAll(async () => {
    app = await startBrowserApp({
      environment: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'console@storedex.example' },
    })
    await app.importStores([aurora, { domain: 'little-rugs.example', name: 'Little Rugs', country: 'FR' }])
    await app.importContacts(
      names.map((first_name) => ({
        store_domain: aurora.domain,
        external_id: first_name,
        first_name,
        last_name: 'Test',
        title: 'Head of Marketing',
        role: 'marketing',
        seniority: 'executive',
        profile_url: `https://people.example/${first_name}`,
        emails: [{ email: `${first_name}@people.example`, status: 'verified' }],
        phones: [{ phone: '+1 202 555 0100', type: 'office' }],
      })),
    )
    owner = await app.person({ name: 'Mara Owner', operator: true })
    await app.keyOf(owner.account, {})
    invited = await app.person({ account: owner.account, role: 'viewer', name: 'Jonas Viewer' })
    const path = `/accounts/${owner.account}/contacts`
    const { body } = await owner.post(`${path}/search`, { max_contacts_per_store: 10 })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    await owner.post(
      `${path}/reveal`,
      { contact_ids: body.data.slice(0, 2).map(({ id }: { id: string }) => id) },
      headers,
    )
  })

  /** In the deep run also with half the window, as at 200 %. */
  async function expectUsable(page: Page, name: string): Promise<void> {
    await expectGoodLooks(page, `page-${name}`)
    if (!seesEveryVariant) return
    await page.setViewportSize({ width: 640, height: 400 })
    expect(await page.locator('html').evaluate((html) => html.scrollWidth), `${name} at 200 %`).toBe(640)
  }

  const isMissing = (status: number) => [401, 404, 410].includes(status)

  test.each([
    ['the sign-in', 'sign-in', '/sign-in', 'Sign in'],
    ['a link that is used up', 'link-used', '/link#nothing', 'This link no longer works'],
    ['the public page about privacy', 'privacy', '/privacy', /.+/],
  ])('%s', async (_title, name, path, title) => {
    const page = await app.open(path, { tolerates: isMissing })
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await expectUsable(page, name)
  })

  test('the link that sets a password', async () => {
    const page = await app.open(`/link#${await newLink(app, invited.email, 'set_password')}`)
    await page.getByLabel('New password').fill('short')
    await expectUsable(page, 'link')
  })

  test.each([
    ['stores', '/stores?columns=store+category+country+traffic+revenue+apps+people+fit', 'Stores'],
    ['store', `/stores/${aurora.domain}`, aurora.name],
    ['store-unknown', '/stores/nobody.example', /.+/],
    ['people', '/people', 'People'],
    ['people-nobody', '/people?countries=AQ', 'People'],
    ['revealed', '/revealed', 'Revealed'],
    ['usage', '/usage', 'Usage'],
    ['keys', '/keys', 'Keys'],
    ['billing', '/billing', 'Billing'],
    ['account-members', '/account/members', /.+/],
    ['account-sessions', '/account/sessions', /.+/],
    ['account-profile', '/account/profile', /.+/],
    ['account-audit', '/account/audit', /.+/],
    ['operator-accounts', '/operator/accounts', /.+/],
    ['operator-catalogue', '/operator/catalogue', /.+/],
    ['operator-imports', '/operator/imports', /.+/],
    ['operator-privacy', '/operator/privacy', /.+/],
    ['operator-webhooks', '/operator/webhooks', /.+/],
    ['operator-system', '/operator/system', /.+/],
  ])('the page %s', async (name, path, title) => {
    const page = await app.open(path, { as: owner, tolerates: isMissing })
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await expectUsable(page, name)
  })

  test('the page of an account, for operators, and a page that is not there', async () => {
    const page = await app.open(`/operator/accounts/${owner.account}`, { as: owner, tolerates: isMissing })
    await heading(page, 'Test account').waitFor()
    await expectUsable(page, 'operator-account')
    await page.goto('/account/members')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(`history.pushState({}, '', '/account/nothing'); dispatchEvent(new PopStateEvent('popstate'))`)
    await heading(page, 'Page not found').waitFor()
    await expectUsable(page, 'not-found')
  })

  /** Opens something over the page, looks at it, and closes it: the focus is where it was. */
  async function expectGoodOverlay(page: Page, opener: Locator, overlay: Locator, name: string): Promise<void> {
    await opener.focus()
    await page.keyboard.press('Enter')
    await overlay.waitFor()
    await page.keyboard.press('Escape')
    await overlay.waitFor({ state: 'detached' })
    await expect.poll(() => opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await overlay.waitFor()
    // Other widths may draw rows as cards, with other buttons.
    await expectGoodLooks(page, `over-${name}`)
    await page.keyboard.press('Escape')
    await overlay.waitFor({ state: 'detached' })
  }

  test('the dialogs and menus of a search', async () => {
    const page = await app.open('/people', { as: owner })
    await page.getByRole('table', { name: 'People' }).waitFor()
    await expectGoodOverlay(page, button(page, 'Columns'), page.getByRole('menu'), 'columns')
    await expectGoodOverlay(page, button(page, 'Copy as'), page.getByRole('menu'), 'copy-as')
    await expectGoodOverlay(page, button(page, 'Account menu'), page.getByRole('menu'), 'account-menu')
    await page.setViewportSize({ width: 390, height: 844 })
    await button(page, 'Filters').click()
    const drawer = page.getByRole('dialog', { name: 'Filters' })
    await drawer.getByRole('checkbox', { name: 'Marketing', exact: true }).check()
    await expectGoodLooks(page, 'over-filters')
    await page.setViewportSize({ width: 390, height: 844 })
    await drawer.getByRole('button', { name: 'Show results' }).click()
    await drawer.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?roles=marketing')
    await button(page, 'Menu').click()
    await page.getByRole('dialog', { name: 'Storedex' }).waitFor()
    await expectGoodLooks(page, 'over-menu')
  })

  test('the dialogs of keys', async () => {
    const page = await app.open('/keys', { as: owner })
    const dialog = page.getByRole('dialog')
    await expectGoodOverlay(page, button(page, 'Create key'), dialog, 'create-key')
    await expectGoodOverlay(page, button(page, 'Rotate').first(), dialog, 'rotate-key')
    await expectGoodOverlay(page, button(page, 'Revoke').first(), dialog, 'revoke-key')
  })

  test('the palette and the help, by keyboard alone', async () => {
    const page = await app.open('/stores', { as: owner })
    await heading(page, 'Stores').waitFor()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard' })
    await help.waitFor()
    await expectGoodLooks(page, 'over-keyboard')
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('searchbox', { name: 'Page or action' }).waitFor()
    await expectGoodLooks(page, 'over-palette')
    await page.keyboard.type('people')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/people')
    // Whoever cannot see the page hears where they are.
    await expect.poll(() => focused(page)).toBe('H1 People')
    await page.getByRole('table', { name: 'People' }).waitFor()
    await page.keyboard.press('/')
    await expect
      .poll(() =>
        page
          .getByRole('searchbox', { name: 'Search', exact: true })
          .evaluate((field) => field === field.ownerDocument.activeElement),
      )
      .toBe(true)
    await page.keyboard.type('germany')
    await page.getByRole('option', { name: /Germany/ }).waitFor()
    await expectGoodLooks(page, 'over-suggestions')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('?countries=DE')
    // A key in a field is a letter, also while a suggestion is marked.
    const typed = 'ger?https://shop.example/'
    await page.keyboard.type(typed)
    expect(await page.getByRole('searchbox', { name: 'Search', exact: true }).inputValue()).toBe(typed)
    expect(await help.count()).toBe(0)
  })

  test('a reveal, by keyboard alone', async () => {
    const page = await app.open('/people', { as: owner })
    const box = page.getByRole('checkbox', { name: /^Select (?!all)/ }).first()
    await box.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
    await button(page, 'Reveal').press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Reveal 1 person?' })
    await dialog.getByText('afterwards').first().waitFor()
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press('Tab')
      // The focus does not leave the dialog.
      expect(await dialog.evaluate((element) => element.contains(element.ownerDocument.activeElement))).toBe(true)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('BUTTON Reveal')
  })

  test('the console without movement, where the system asks for that', async () => {
    const page = await app.open('/people', { as: owner, context: { reducedMotion: 'no-preference' } })
    const durationMs = () =>
      button(page, 'Columns').evaluate((element) => {
        const { transitionDuration } = element.ownerDocument.defaultView!.getComputedStyle(element)
        return Number.parseFloat(transitionDuration) * 1_000
      })
    expect(await durationMs()).toBeGreaterThan(10)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect.poll(durationMs).toBeLessThan(1)
  })
})
