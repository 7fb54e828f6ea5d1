import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { createMember, type TestMember } from '../../console/catalogue/support/members.ts'
import type { Json } from '../../support/client.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { untilLoaded } from './support/console-page.ts'
import { screenshot } from './support/looks.ts'
import { importShops } from './support/shops.ts'
import { findTableFaults, type MeasuredTables, measureTables } from './support/tables.ts'

/** From the narrowest window with a table to a wide one. */
const widths = [1_024, 1_152, 1_265, 1_280, 1_366, 1_440, 1_600, 1_920]
const height = 860

/** What is wrong with the tables of a page at each width; `wide` tables show as many columns as a file has. */
async function findCutTables(page: Page, labels: readonly string[], wide: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height })
    await untilLoaded(page)
    const measured: MeasuredTables = await page.evaluate(measureTables)
    expect(measured.tables.map(({ label }) => label)).toEqual(expect.arrayContaining([...labels]))
    faults.push(...findTableFaults(measured, width, wide))
  }
  return faults
}

describeInBrowser('the columns of each table are in sight, or seen to go on', () => {
  let app: BrowserApp
  let owner: TestMember
  beforeAll(async () => {
    app = await startBrowserApp()
    await importShops(app)
    owner = await createMember(app, { role: 'owner', operator: true, name: 'Mara Owner' })
    await importLongest()
    const { body: people } = await owner.ask('/contacts/search', { person: { roles_any: ['marketing'] }, limit: 12 })
    const ids: string[] = people.data.map(({ id }: Json) => id)
    await owner.ask('/contacts/reveal', { contact_ids: ids.slice(2, 12) })
    await app.keyOf(owner.account, {})
    await app.person({ account: owner.account, role: 'viewer', name: 'Jonas Viewer' })
    const { body: list } = await owner.ask('/lists', { name: 'Spring', kind: 'stores' })
    await owner.ask(`/lists/${list.id}/items`, { domains: ['shop-3.example', 'not-yet.example'] })
    const exported = { kind: 'stores', filters: { countries: ['DE'] }, max_rows: 5 }
    expect((await owner.ask('/exports', exported, { 'idempotency-key': 'tables' })).status).toBe(201)
    await app.db.query(
      `insert into billing_events (id, type, received_at, handled_at, outcome)
       values ('evt_1NG8Du2eZvKYlo2CUI79vXWy', 'customer.subscription.trial_will_end', $1, $1, 'synced')`,
      [app.clock.now()],
    )
  })

  /** Stores in the places of the first ones whose values have the longest labels that there are. */
  async function importLongest(): Promise<void> {
    const { body } = await owner.get('/taxonomy')
    const longest = (list: string) => {
      const byLength = [...body[list]].sort((a: Json, b: Json) => b.label.length - a.label.length)
      return byLength.slice(0, 3).map(({ value }: Json) => value)
    }
    const lists = {
      category: longest('categories'),
      country: longest('countries'),
      traffic_tier: longest('traffic_tiers'),
      revenue_tier: longest('revenue_tiers'),
    }
    const valuesAt = (index: number) =>
      Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all[index]]))
    await app.importStores(
      [0, 1, 2].map((index) => ({
        domain: `the-longest-labels-${index}.example`,
        name: 'The Longest Labels of All',
        lead_fit_score: 100,
        ...valuesAt(index),
      })),
    )
  }

  test.each<[string, string, string[], string[]?]>([
    ['stores', '/stores', ['Stores']],
    ['people', '/people?roles=marketing', ['People']],
    ['store', '/stores/shop-3.example', ['People of the store']],
    ['revealed', '/revealed', ['Revealed people']],
    ['lists', '/lists', ['Lists']],
    ['exports', '/exports', ['Exports']],
    ['usage', '/usage', ['Ledger']],
    ['keys', '/keys', ['Keys']],
    ['members', '/account/members', ['Members']],
    ['sessions', '/account/sessions', ['Sessions']],
    ['audit', '/account/audit', ['Audit log']],
    ['operator-accounts', '/operator/accounts', ['Accounts']],
    ['operator-catalogue', '/operator/catalogue', ['Last batches']],
    ['operator-webhooks', '/operator/webhooks', ['Webhook events']],
  ])('on the page %s', async (name, path, labels, wide = []) => {
    const page = await app.open(path, { as: owner })
    for (const label of labels) await page.getByRole('table', { name: label, exact: true }).waitFor()
    expect(await findCutTables(page, labels, wide)).toEqual([])
    await page.setViewportSize({ width: 1_024, height })
    await screenshot(page, `table-${name}-1024`)
    await page.setViewportSize({ width: 1_265, height })
    await screenshot(page, `table-${name}-1265`)
  })

  test('on the pages of an account and of a list', async () => {
    const page = await app.open(`/operator/accounts/${owner.account}`, { as: owner })
    await page.getByRole('table', { name: 'Members' }).waitFor()
    expect(await findCutTables(page, ['Usage', 'Members', 'Keys'], [])).toEqual([])
    await page.goto('/lists')
    await page.getByRole('link', { name: 'Spring' }).click()
    await page.getByRole('table', { name: 'Items' }).waitFor()
    expect(await findCutTables(page, ['Items'], [])).toEqual([])
  })

  test('a table with more columns than fit shows at which side it goes on', async () => {
    const page = await app.open('/stores?columns=store+category+country+traffic+revenue+apps+pixels+theme+opened+fit', {
      as: owner,
    })
    const region = page.getByRole('region', { name: 'Stores, table' })
    await region.waitFor()
    await page.setViewportSize({ width: 1_280, height })
    const edges = page.locator('[data-cut-edge]')
    await screenshot(page, 'table-wide')
    const sides = () =>
      edges.evaluateAll((all) => all.map((each) => (each.classList.contains('left-0') ? 'left' : 'right')))
    await expect.poll(sides).toEqual(['right'])
    await region.evaluate((element) => element.scrollTo(60, 0))
    await expect.poll(sides).toEqual(['left', 'right'])
    await region.evaluate((element) => element.scrollTo(10_000, 0))
    await expect.poll(sides).toEqual(['left'])
  })
})
