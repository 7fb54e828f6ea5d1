import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { upload } from '../../catalogue/import-jobs/support/imports.ts'
import { newLink } from '../../customers/users/support/users.ts'
import { createMember, type TestMember } from '../../support/members.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { untilLoaded } from './support/console-page.ts'
import { expectGoodLooks } from './support/looks.ts'
import { importShops } from './support/shops.ts'

/** Presses of a key from the beginning of a page to what somebody came for. */
const budget = 25

const hasFocus = (control: Locator) => control.evaluate((each) => each.contains(each.ownerDocument.activeElement))

/** How often Tab has to be pressed until the focus is on something; fails after the budget. */
async function pressTabTo(page: Page, main: Locator, presses = 0): Promise<number> {
  await main.waitFor()
  await untilLoaded(page)
  const passed: unknown[] = []
  for (let pressed = presses + 1; pressed <= budget; pressed++) {
    await page.keyboard.press('Tab')
    if (await hasFocus(main)) return pressed
    passed.push(
      await page.evaluate(`document.activeElement.getAttribute('aria-label') || document.activeElement.innerText`),
    )
  }
  throw new Error(`Not reached with ${budget} presses, after ${JSON.stringify(passed)}`)
}

const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name }).first()
const firstRow = (page: Page) => page.locator('main tbody tr').first().locator('a, button, input').first()
const field = (name: string) => (page: Page) => page.locator('main').getByLabel(name, { exact: true }).first()
const button = (name: string) => (page: Page) => page.locator('main').getByRole('button', { name }).first()

describeInBrowser('every page', () => {
  let app: BrowserApp
  let owner: TestMember
  let list: string
  let exported: string
  let imported: number
  beforeAll(async () => {
    app = await startBrowserApp()
    await importShops(app)
    owner = await createMember(app, { role: 'owner', operator: true })
    await app.keyOf(owner.account, {})
    list = (await owner.ask('/lists', { name: 'Spring', kind: 'stores' })).body.id
    await owner.ask(`/lists/${list}/items`, { domains: ['shop-7.example', 'shop-8.example', 'not-yet.example'] })
    const germans = { person: { roles_any: ['marketing'] }, limit: 5 }
    const { body: found } = await owner.ask('/contacts/search', germans)
    const key = () => ({ 'idempotency-key': crypto.randomUUID() })
    await owner.ask('/contacts/reveal', { contact_ids: found.data.map(({ id }: { id: string }) => id) }, key())
    const stores = { kind: 'stores', filters: { countries: ['FR'] }, max_rows: 20 }
    exported = (await owner.ask('/exports', stores, key())).body.id
    await app.db.query(
      `insert into billing_events (id, type, received_at, handled_at, outcome)
       values ('evt_1NG8Du2eZvKYlo2CUI79vXWy', 'customer.subscription.updated', $1, $1, 'synced')`,
      [app.clock.now()],
    )
    // Of a file with many columns the most are not recognised.
    const headings = ['domain', ...Array.from({ length: 60 }, (_, index) => `Field ${index}`)]
    imported = await upload(app.url, owner, { text: `${headings.join()}\nnew-shop.example\n` })
  })

  describe('is used by keyboard: what somebody came for is near', () => {
    test.each<[path: string, main: (page: Page) => Locator]>([
      ['/stores', (page) => page.getByRole('link', { name: 'Shop 7', exact: true })],
      ['/stores?countries=DE+FR&apps=klaviyo&traffic=10k_50k&themes=free', firstRow],
      ['/stores/shop-8.example', (page) => page.getByRole('checkbox', { name: /^Select Mara/ })],
      ['/people', (page) => page.getByRole('checkbox', { name: /^Select (?!all)/ }).first()],
      [
        '/people?roles=marketing+founder&countries=DE',
        (page) => page.getByRole('checkbox', { name: /^Select (?!all)/ }).first(),
      ],
      ['/revealed', firstRow],
      ['/lists', firstRow],
      ['/lists/LIST', firstRow],
      ['/exports', firstRow],
      ['/exports/EXPORT', (page) => page.getByRole('link', { name: 'Download' })],
      ['/usage', firstRow],
      ['/keys', firstRow],
      ['/billing', button('Change plan')],
      ['/account/members', firstRow],
      ['/account/sessions', (page) => page.getByRole('region', { name: 'Sessions, table' })],
      ['/account/profile', field('Name')],
      ['/account/settings', field('Account name')],
      ['/account/audit', (page) => page.getByRole('region', { name: /, table$/ })],
      ['/operator/accounts', firstRow],
      ['/operator/accounts/ACCOUNT', button('Suspend')],
      ['/operator/catalogue', (page) => page.getByRole('region', { name: /table$/ })],
      ['/operator/imports', button('Choose a file')],
      ['/operator/imports/IMPORT', button('Check the file')],
      ['/operator/privacy', (page) => page.locator('main').getByRole('textbox').first()],
      ['/operator/webhooks', (page) => page.getByRole('region', { name: /table$/ })],
      ['/operator/system', (page) => page.locator('main').locator('a, button').first()],
    ])('%s', async (path, main) => {
      const address = path
        .replace('LIST', list)
        .replace('EXPORT', exported)
        .replace('ACCOUNT', owner.account)
        .replace('IMPORT', String(imported))
      const page = await app.open(address, { as: owner })
      await main(page).waitFor()
      await page.keyboard.press('Tab')
      await expect.poll(() => hasFocus(page.getByRole('link', { name: 'Skip to content' }))).toBe(true)
      await page.keyboard.press('Enter')
      expect(new URL(page.url()).hash).toBe('')
      await pressTabTo(page, main(page), 2)
    })

    test('the pages of somebody who is not signed in', async () => {
      const page = await app.open('/sign-in', {})
      await pressTabTo(page, page.getByLabel('Email').first())
      const { email } = await app.person()
      await page.goto(`/link#${await newLink(app, email, 'set_password')}`)
      await pressTabTo(page, page.getByLabel('New password'))
    })

    test('the columns of an export are one stop, in which the arrow keys move', async () => {
      const page = await app.open('/stores?countries=DE', { as: owner })
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Export stores' })
      await dialog.getByRole('button', { name: 'Choose columns' }).click()
      const columns = dialog.getByRole('list', { name: 'Columns of the file' })
      await columns.waitFor()
      await page.keyboard.press('Tab')
      expect(await hasFocus(columns.getByRole('checkbox').first())).toBe(true)
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key)
      expect(await hasFocus(columns.getByRole('listitem').nth(1))).toBe(true)
      await pressTabTo(page, dialog.getByRole('button', { name: 'Start export' }))
    })

    test.each(['/stores', '/people'])('%s, with all groups of filters open', async (path) => {
      const page = await app.open(path, { as: owner })
      // Of those with date fields and a text of several lines, each is a stop of its own.
      const heads = page
        .getByRole('region', { name: 'Filters' })
        .locator('h2 button[aria-expanded=false]')
        .filter({ hasNotText: /More|Domains/ })
      await heads.first().waitFor()
      while ((await heads.count()) > 0) await heads.first().click()
      await page.keyboard.press('/')
      await pressTabTo(page, firstRow(page))
      await expectGoodLooks(page, `keyboard-open${path.replace('/', '-')}`)
      // The link leads there at once.
      await page.keyboard.press('/')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      const search = new URL(page.url())
      expect([search.pathname, search.search, search.hash]).toEqual([path, '', ''])
      expect(await pressTabTo(page, firstRow(page))).toBeLessThanOrEqual(3)
    })
  })

  describe('opens what a row is about with a press anywhere on it', () => {
    test.each<[path: string, of: RegExp, cell: number, opened: string]>([
      ['/stores?countries=DE', /Shop 8/, 1, '/stores/shop-8.example'],
      ['/people', /Shop 5/, 2, '/stores/shop-5.example'],
      ['/revealed', /Head of Marketing/, 3, '/stores/'],
      ['/lists', /Spring/, 2, '/lists/LIST'],
      ['/lists/LIST', /Shop 7/, 1, '/stores/shop-7.example'],
      ['/exports', /Stores/, 2, '/exports/EXPORT'],
      ['/operator/accounts', /Test account/, 1, '/operator/accounts/'],
    ])('%s', async (path, of, cell, opened) => {
      const fill = (text: string) => text.replace('LIST', list).replace('EXPORT', exported)
      const page = await app.open(fill(path), { as: owner })
      const pressed = row(page, of).locator('td').nth(cell)
      // Beside the text, where nothing is but the row.
      await pressed.click({ position: { x: 2, y: 3 } })
      await expect.poll(() => new URL(page.url()).pathname).toContain(fill(opened))
      await page.goBack()
      await row(page, of).waitFor()
      const tab = page.context().waitForEvent('page')
      await pressed.click({ button: 'middle' })
      expect(new URL((await tab).url()).pathname).toContain(fill(opened))
      await (await tab).close()
    })

    test('and leaves the way through the result as the link does; Ctrl opens a tab of its own', async () => {
      const page = await app.open('/stores?countries=DE', { as: owner })
      const cell = row(page, /Shop 8/)
        .locator('td')
        .nth(2)
      const tab = page.context().waitForEvent('page')
      await cell.click({ modifiers: ['Control'] })
      expect(new URL((await tab).url()).pathname).toBe('/stores/shop-8.example')
      await (await tab).close()
      expect(new URL(page.url()).pathname).toBe('/stores')
      await cell.click()
      await page.getByText('9 of 25 on the page').waitFor()
    })

    test('but not when text is selected, nor from a box, nor where there is no page', async () => {
      const page = await app.open('/people?roles=marketing', { as: owner })
      await untilLoaded(page)
      const name = row(page, /Mara 9/).getByText('Head of Marketing')
      await name.scrollIntoViewIfNeeded()
      const { x, y, width, height } = (await name.boundingBox())!
      await page.mouse.move(x + 2, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + width - 4, y + height / 2, { steps: 4 })
      await page.mouse.up()
      expect(String(await page.evaluate('getSelection().toString()'))).toContain('of Market')
      expect(new URL(page.url()).pathname).toBe('/people')
      await page.evaluate('getSelection().empty()')
      await row(page, /Mara 9/)
        .locator('td')
        .first()
        .click({ position: { x: 2, y: 2 } })
      await page.getByRole('checkbox', { name: 'Select Mara 9 L***' }).check()
      await page.getByText('1 selected').waitFor()
      expect(new URL(page.url()).pathname).toBe('/people')
      await page.goto(`/lists/${list}`)
      const waiting = row(page, /not-yet\.example/)
      await waiting.locator('td').last().click()
      expect(await waiting.evaluate((each) => each.ownerDocument.defaultView!.getComputedStyle(each).cursor)).toBe(
        'auto',
      )
      expect(new URL(page.url()).pathname).toBe(`/lists/${list}`)
    })

    test('also on a phone', async () => {
      const page = await app.open('/stores', {
        as: owner,
        context: { viewport: { width: 390, height: 844 }, hasTouch: true },
      })
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Shop 9' })
        .first()
        .tap({ position: { x: 350, y: 12 } })
      await page.getByRole('heading', { name: 'Shop 9', level: 1 }).waitFor()
    })
  })
})
