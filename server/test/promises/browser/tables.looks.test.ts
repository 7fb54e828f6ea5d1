import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { upload } from '../../catalogue/import-jobs/support/imports.ts'
import type { Json } from '../../support/client.ts'
import { createMember, type TestMember } from '../../support/members.ts'
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

interface TablePage {
  name: string
  path: string
  labels: string[]
  /** Tables that show as many columns as a file has. */
  wide?: string[]
  before?: (page: Page) => Promise<void>
}

const pages: TablePage[] = [
  { name: 'stores', path: '/stores', labels: ['Stores'] },
  { name: 'people', path: '/people?roles=marketing', labels: ['People'] },
  { name: 'store', path: '/stores/shop-3.example', labels: ['People of the store'] },
  { name: 'revealed', path: '/revealed', labels: ['Revealed people'] },
  { name: 'lists', path: '/lists', labels: ['Lists'] },
  { name: 'list', path: '/lists/LIST', labels: ['Items'] },
  { name: 'exports', path: '/exports', labels: ['Exports'] },
  { name: 'usage', path: '/usage', labels: ['Ledger'] },
  {
    name: 'usage-days',
    path: '/usage',
    labels: ['Spent by day', 'Ledger'],
    before: (page) => page.getByRole('button', { name: 'Show as table' }).click(),
  },
  { name: 'keys', path: '/keys', labels: ['Keys'] },
  { name: 'members', path: '/account/members', labels: ['Members', 'Invitations'] },
  { name: 'sessions', path: '/account/sessions', labels: ['Sessions'] },
  { name: 'audit', path: '/account/audit', labels: ['Audit log'] },
  { name: 'operator-accounts', path: '/operator/accounts', labels: ['Accounts'] },
  {
    name: 'operator-account',
    path: '/operator/accounts/ACCOUNT',
    labels: ['Usage', 'Members', 'Keys', 'Last changes'],
  },
  { name: 'operator-catalogue', path: '/operator/catalogue', labels: ['Last batches'] },
  { name: 'operator-imports', path: '/operator/imports', labels: ['Imports'] },
  {
    name: 'operator-import',
    path: '/operator/imports/IMPORT',
    labels: ['Columns', 'First rows', 'Problems of stores'],
    wide: ['First rows'],
  },
  { name: 'operator-privacy', path: '/operator/privacy', labels: ['Requests', 'Suppressions'] },
  { name: 'operator-webhooks', path: '/operator/webhooks', labels: ['Webhook events'] },
]

/** The labels of the tables in the sources. */
function tableLabels(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/<(?:Paged)?Table\s[^>]*?label="([^"]+)"/g)].map(([, label]) => label!)),
  )
}

describeInBrowser('the columns of each table are in sight, or seen to go on', () => {
  let app: BrowserApp
  let owner: TestMember
  let list: string
  let imported: number
  beforeAll(async () => {
    app = await startBrowserApp()
    await importShops(app)
    owner = await createMember(app, { role: 'owner', operator: true, name: 'Mara Owner' })
    await importLongest()
    const { body: users } = await owner.ask('/contacts/search', { person: { roles_any: ['marketing'] }, limit: 12 })
    const ids: string[] = users.data.map(({ id }: Json) => id)
    await owner.ask('/contacts/reveal', { contact_ids: ids.slice(2, 12) })
    await app.keyOf(owner.account, {})
    await app.person({ account: owner.account, role: 'viewer', name: 'Jonas Viewer' })
    list = (await owner.ask('/lists', { name: 'Spring', kind: 'stores' })).body.id
    await owner.ask(`/lists/${list}/items`, { domains: ['shop-3.example', 'not-yet.example'] })
    const exported = { kind: 'stores', filters: { countries: ['DE'] }, max_rows: 5 }
    expect((await owner.ask('/exports', exported, { 'idempotency-key': 'tables' })).status).toBe(201)
    await app.db.query(
      `insert into billing_events (id, type, received_at, handled_at, outcome)
       values ('evt_1NG8Du2eZvKYlo2CUI79vXWy', 'customer.subscription.trial_will_end', $1, $1, 'synced')`,
      [app.clock.now()],
    )
    await app.db.query(
      `insert into privacy_requests (token_hash, requested_at, expires_at, ended_at, outcome, erased)
       values ('\\x00', $1, $1, $1, 'erased', 3)`,
      [app.clock.now()],
    )
    await app.db.query("insert into suppressions (hash, kind, added_at) values (1, 'email', $1)", [app.clock.now()])
    const nora = { email: 'nora.of-the-department-for-long-addresses@people-of-the-shop.example', role: 'member' }
    expect((await owner.post(`/accounts/${owner.account}/invitations`, nora)).status).toBe(200)
    const text = 'domain,name,country\nmended.example,Mended,DE\nwrong.example,Wrong,Atlantis\n'
    imported = await upload(app.url, owner, { text, name: 'a list of shops from the last spring.csv' })
    expect((await owner.post(`/operator/imports/${imported}/check`, { options: {} })).status).toBe(200)
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

  test.each(pages)('on the page $name', async ({ name, path, labels, wide = [], before }) => {
    const address = path.replace('ACCOUNT', owner.account).replace('LIST', list).replace('IMPORT', String(imported))
    const page = await app.open(address, { as: owner })
    await before?.(page)
    for (const label of labels) await page.getByRole('table', { name: label, exact: true }).waitFor()
    expect(await findCutTables(page, labels, wide)).toEqual([])
    await page.setViewportSize({ width: 1_024, height })
    await screenshot(page, `table-${name}-1024`)
    await page.setViewportSize({ width: 1_265, height })
    await screenshot(page, `table-${name}-1265`)
  })

  test('every table of the console is among these', () => {
    const measured = new Set(pages.flatMap(({ labels }) => labels))
    const written = tableLabels(join(import.meta.dirname, '../../../../console/src/pages'))
    expect(written.size).toBeGreaterThan(20)
    expect([...written].filter((label) => !measured.has(label))).toEqual([])
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
