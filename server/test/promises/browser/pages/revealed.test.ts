import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Json } from '../../../support/client.ts'
import { aurora } from '../../../support/fixtures.ts'
import { createMember, type TestMember } from '../../../support/members.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { screenshot } from '../support/looks.ts'

/** How many people the account has revealed; most of them were erased since. */
const count = 200_000
const here = 60

describeInBrowser(`an account that has revealed ${count.toLocaleString('en')} people`, () => {
  let app: BrowserApp
  let member: TestMember
  beforeAll(async () => {
    app = await startBrowserApp()
    const shops = Array.from({ length: here / 10 }, (_, index) => `shop-${index}.example`)
    await app.importStores(shops.map((domain) => ({ ...aurora, aliases: [], domain })))
    await app.importContacts(
      Array.from({ length: here }, (_, index) => ({
        store_domain: shops[index % shops.length],
        external_id: `p${index}`,
        first_name: `Person ${index}`,
        emails: [{ email: `p${index}@people.example`, status: 'verified' }],
      })),
    )
    member = await createMember(app)
    const { body } = await member.ask('/contacts/search', { max_contacts_per_store: 10, limit: here })
    const ids = body.data.map(({ id }: Json) => app.deps.ids.open(id)!.value)
    expect(ids).toHaveLength(here)
    const account = app.accountNumber(member.account)
    const insert = `insert into reveals (account_id, mode, contact_id, revealed_at, person_id)`
    await app.db.query(
      `${insert} select $1, 'live', n * 4096::bigint, $2::timestamptz - n * interval '1 minute', $3
       from generate_series(100000, $4::integer + 99999) n`,
      [account, app.clock.now(), member.number, count - here],
    )
    await app.db.query(
      `${insert} select $1, 'live', id, $2::timestamptz - place * interval '1 second', $3
       from unnest($4::bigint[]) with ordinality people (id, place)`,
      [account, app.clock.now(), member.number, ids],
    )
  })

  const names = (page: Page) =>
    page
      .getByRole('rowheader')
      // On a phone there are cards, whose channels are lists too.
      .or(page.locator('ul[aria-label="Revealed people"] > li'))
      .allTextContents()
  const readPage = async (page: Page, work: () => Promise<unknown>, before: string[] = []) => {
    await work()
    await expect.poll(async () => (await names(page)).length).toBeGreaterThan(0)
    await expect.poll(async () => (await names(page))[0]).not.toBe(before[0])
    return names(page)
  }

  test.each([1_280, 390])('sees them page by page, and those of one store, %s px wide', async (width) => {
    const page = await app.open('about:blank', { as: member, context: { viewport: { width, height: 844 } } })
    const first = await readPage(page, () => page.goto('/revealed'))
    expect(first).toHaveLength(25)
    const next = page.getByRole('button', { name: 'Next page' })
    const second = await readPage(page, () => next.click(), first)
    expect(new Set([...first, ...second]).size).toBe(50)
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(width)
    await screenshot(page, `revealed-many-${width}`)
    await readPage(page, () => page.getByRole('button', { name: 'Previous page' }).click(), second)
    expect(await names(page)).toEqual(first)
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.fill('shop-3.example')
    await search.press('Enter')
    await expect.poll(async () => (await names(page)).length).toBe(10)
  })
})
