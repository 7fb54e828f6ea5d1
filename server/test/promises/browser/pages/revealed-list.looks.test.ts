import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { createMember, readSpent, type TestMember } from '../../../support/members.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'
import { importShops } from '../support/shops.ts'

const foot = (page: Page) => page.getByRole('navigation', { name: 'Pages' })

describeInBrowser('the page Revealed', () => {
  let app: BrowserApp
  let member: TestMember
  beforeAll(async () => {
    app = await startBrowserApp()
    await importShops(app)
    member = await createMember(app, { name: 'Mara Member' })
    const { body } = await member.ask('/contacts/search', { person: { roles_any: ['marketing'] }, limit: 30 })
    const ids: string[] = body.data.map(({ id }: { id: string }) => id)
    for (let from = 0; from < ids.length; from += 10)
      await member.ask('/contacts/reveal', { contact_ids: ids.slice(from, from + 10) })
  })

  test('lists everybody with channels and who revealed them, for free', async () => {
    const before = await readSpent(app, member.account)
    const page = await app.open('/revealed', {
      as: member,
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    await foot(page).getByText('25 people').waitFor()
    await expectGoodLooks(page, 'revealed')
    expect(await page.getByRole('cell', { name: 'Mara Member' }).count()).toBe(25)
    await page.getByRole('button', { name: 'Copy mara@shop-20.example' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('mara@shop-20.example')
    const phone = page.getByRole('link', { name: '+1 202 555 0100' }).first()
    expect(await phone.getAttribute('href')).toBe('tel:+12025550100')
    await page.getByRole('button', { name: 'Next page' }).click()
    await foot(page).getByText('5 people on page 2').waitFor()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await foot(page).getByText('25 people').waitFor()
    expect(await readSpent(app, member.account)).toEqual(before)
  })

  test('shows the people of one store', async () => {
    const page = await app.open('/revealed', { as: member })
    await page.getByRole('searchbox', { name: 'Search' }).fill('https://shop-4.example/')
    await page.keyboard.press('Enter')
    await foot(page).getByText('1 person').waitFor()
    await page.getByRole('link', { name: 'mara@shop-4.example' }).waitFor()
    expect(new URL(page.url()).search).toBe('?store=shop-4.example')
    await page.getByRole('searchbox', { name: 'Search' }).fill('shop-50.example')
    await page.keyboard.press('Enter')
    await page.getByText('Nobody of shop-50.example is revealed').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await foot(page).getByText('25 people').waitFor()
  })

  test('exports all again without charge, as a CRM imports them', async () => {
    const before = await readSpent(app, member.account)
    const page = await app.open('/revealed', { as: member, context: { acceptDownloads: true } })
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Export revealed people' })
    await dialog.getByRole('radio', { name: 'HubSpot' }).check()
    await dialog.getByText('Email, First Name').waitFor()
    await expectGoodLooks(page, 'revealed-export')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Start export' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(download.suggestedFilename()).toMatch(/^storedex-revealed-hubspot-.*\.csv$/)
    expect(lines[0]).toContain('Email,First Name,Last Name')
    expect(lines).toHaveLength(31)
    expect(await dialog.getByRole('link', { name: 'Download' }).getAttribute('href')).toMatch(
      /\/revealed\/file\?format=csv&preset=hubspot$/,
    )
    expect(await readSpent(app, member.account)).toEqual(before)
  })

  test('works without a plan, and says what to do while it is empty', async () => {
    const lapsed = await createMember(app, { plan: 'free' })
    const page = await app.open('/revealed', { as: lapsed })
    await page.getByText('Nobody is revealed yet').waitFor()
    await expectGoodLooks(page, 'revealed-empty')
    await app.setAccount(member.account, { status: 'canceled' })
    const other = await app.open('/revealed', { as: member })
    await foot(other).getByText('25 people').waitFor()
    expect(await other.getByRole('link', { name: 'Shop 20' }).count()).toBe(0)
  })

  test('tells a viewer why there is nothing to see', async () => {
    const page = await app.open('/revealed', { as: await createMember(app, { role: 'viewer' }) })
    await page.getByText('Viewers do not see channels').waitFor()
    expect(await page.getByRole('button', { name: 'Export' }).count()).toBe(0)
    await expectGoodLooks(page, 'revealed-viewer')
  })
})
