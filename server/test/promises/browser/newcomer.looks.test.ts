import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { prepareCatalogueAndKeys } from '../../../src/program/serving/demo-keys.ts'
import { createDemoLink } from '../../../src/program/serving/demo-user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { expectGoodLooks } from './support/looks.ts'

/** Presses, and counts how often. */
function countClicks() {
  let count = 0
  return {
    press: async (control: Locator) => {
      await control.click()
      count++
    },
    count: () => count,
  }
}

const group = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Filters' }).getByRole('group', { name, exact: true })
/** Opens a link, and presses the button that signs in: a link that is only opened signs nobody in. */
async function signInAt(app: BrowserApp, link: string): Promise<Page> {
  const page = await app.open(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}
const goTo = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true })

describeInBrowser('a newcomer', () => {
  let app: BrowserApp
  let link: string
  beforeAll(async () => {
    app = await startBrowserApp({
      environment: { DATA_DIR: mkdtempSync(join(tmpdir(), 'storedex-newcomer-')), DEMO: '1' },
    })
    await prepareCatalogueAndKeys(app.operator)
    await app.searchFollows()
    link = (await createDemoLink(app.deps, app.url))!
  })

  test('gets from the one-time link to ten marketing people in Germany with a few clicks', async () => {
    const { press, count } = countClicks()
    const page = await signInAt(app, link)
    await page.getByRole('heading', { name: 'Stores', level: 1 }).waitFor()
    // The token is nowhere in the browser.
    expect(page.url()).toBe(`${app.url}/stores`)
    await press(goTo(page, 'People'))
    const answer = page.waitForResponse((response) => {
      const { person: user, store } = response.url().endsWith('/contacts/search')
        ? response.request().postDataJSON()
        : {}
      return user?.roles_any?.length === 1 && store?.countries?.length === 1
    })
    await press(group(page, 'Roles').getByRole('checkbox', { name: 'Marketing', exact: true }))
    await press(group(page, 'Countries').getByRole('checkbox', { name: 'Germany', exact: true }))
    const { data } = await (await answer).json()
    const users = page.getByRole('table', { name: 'People' })
    // The rows of the question before are still there for a moment.
    const names = () => users.getByRole('rowheader').allTextContents()
    await expect.poll(async () => (await names()).length).toBe(data.length)
    await expect.poll(async () => (await names())[0]).toContain(data[0].first_name)
    await press(page.getByRole('button', { name: 'Select first 10' }))
    expect(await users.getByRole('checkbox', { name: /^Select (?!all)/, checked: true }).count()).toBe(10)
    const selection = page.getByRole('region', { name: 'Selection' })
    await selection.getByText('10 new = 10 credits, 0 already yours, 990 left afterwards').waitFor()
    await press(selection.getByRole('button', { name: 'Reveal', exact: true }))
    const dialog = page.getByRole('dialog', { name: 'Reveal 10 people?' })
    await dialog.getByText('10 new = 10 credits').waitFor()
    await expectGoodLooks(page, 'newcomer-question')
    await press(dialog.getByRole('button', { name: 'Reveal 10 people' }))
    const revealed = page.getByRole('dialog', { name: '10 people revealed' })
    await revealed.getByText('10 credits spent').waitFor()
    expect(await revealed.getByRole('link', { name: /@/ }).count()).toBeGreaterThan(0)
    expect(count()).toBeLessThanOrEqual(6)
    await expectGoodLooks(page, 'newcomer-revealed')

    await revealed.getByRole('button', { name: 'Done' }).click()
    await goTo(page, 'Revealed').click()
    const table = page.getByRole('table', { name: 'Revealed people' })
    await expect.poll(() => table.getByRole('row').count()).toBe(11)
    for (const row of (await table.getByRole('row').all()).slice(1)) {
      expect(await row.getByRole('link', { name: /@|people\.example|^\+/ }).count()).toBeGreaterThan(0)
      expect(await row.getByRole('cell').allTextContents()).toContain('Demonstration')
    }
    await goTo(page, 'Usage').click()
    const ledger = page.getByRole('table', { name: 'Ledger' })
    const entry = ledger.getByRole('row').filter({ hasText: 'Contact credits' })
    await entry.getByRole('cell', { name: '10', exact: true }).waitFor()
    await entry.getByRole('cell', { name: 'Person Demonstration' }).waitFor()
    expect(await entry.count()).toBe(1)
  })

  test('gets from a one-time link to a file of ten marketing people in Germany for HubSpot with fewer clicks than that', async () => {
    const { press, count } = countClicks()
    const page = await signInAt(app, (await createDemoLink(app.deps, app.url))!)
    await press(goTo(page, 'People'))
    await press(group(page, 'Roles').getByRole('checkbox', { name: 'Marketing', exact: true }))
    await press(group(page, 'Countries').getByRole('checkbox', { name: 'Germany', exact: true }))
    await expect.poll(() => new URL(page.url()).search).toBe('?roles=marketing&countries=DE')
    await press(page.getByRole('button', { name: 'Export', exact: true }))
    const dialog = page.getByRole('dialog', { name: 'Export people' })
    await press(dialog.getByRole('radio', { name: 'HubSpot' }))
    const cost = dialog.getByRole('region', { name: 'Cost' })
    await cost.getByText(/^\d+ new = \d+ credits?, \d+ already yours/).waitFor()
    await expectGoodLooks(page, 'newcomer-export')
    await press(dialog.getByRole('button', { name: 'Start export' }))
    const file = page.waitForEvent('download')
    await press(dialog.getByRole('link', { name: 'Download' }))
    const rows = parse(readFileSync(await (await file).path()), { columns: true, bom: true }) as Record<
      string,
      string
    >[]
    expect(count()).toBeLessThanOrEqual(7)
    expect(rows).toHaveLength(10)
    for (const row of rows) {
      expect(Object.keys(row).slice(0, 3)).toEqual(['Email', 'First Name', 'Last Name'])
      expect(row['Company Name']).not.toBe('')
    }
    await dialog.getByRole('button', { name: 'Done' }).click()
    await goTo(page, 'Revealed').click()
    await page.getByRole('table', { name: 'Revealed people' }).getByText(rows[0]!['Last Name']!).first().waitFor()
  })

  test('cannot use the link again', async () => {
    await app
      .open(link, { tolerates: (status, path) => status === 410 && path === '/console/api/link/look' })
      .then((page) => page.getByRole('heading', { name: 'This link no longer works' }).waitFor())
  })
})
