import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { Gate } from '../../../support/gate.ts'
import { createMember, readSpent, setViewed, type TestMember } from '../../../support/members.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { untilLoaded } from '../support/console-page.ts'
import { expectGoodLooks, runAxe, screenshot } from '../support/looks.ts'
import { countRequests, hostileName, importShops, longName } from '../support/shops.ts'

const table = (page: Page) => page.getByRole('table', { name: 'Stores' })
const foot = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const group = (page: Page, name: string) => page.getByRole('group', { name, exact: true })

describeInBrowser('the page Stores', () => {
  let app: BrowserApp
  let member: TestMember
  beforeAll(async () => {
    app = await startBrowserApp()
    await importShops(app)
    member = await createMember(app)
  })
  const rowsSpent = async (each: TestMember = member) => (await readSpent(app, each.account)).search_rows

  test('says why there is no next page although more stores match', async () => {
    const { search } = app.deps.plans
    const bound = search.max_rows_walked_unfiltered
    onTestFinished(() => {
      search.max_rows_walked_unfiltered = bound
    })
    search.max_rows_walked_unfiltered = 25
    const page = await app.open('/stores', { as: member })
    await foot(page)
      .getByText('This search has returned 25 rows, the most it may; add a filter to see others.')
      .waitFor()
    expect(await foot(page).getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
    await expectGoodLooks(page, 'stores-end')
    await page.goto('/stores?countries=FR')
    await foot(page).getByText('20 stores').waitFor()
    expect(await foot(page).getByText('the most it may').count()).toBe(0)
  })

  test('narrows by what is chosen, says it in chips and in the address, and what it cost', async () => {
    const page = await app.open('/stores', { as: member })
    await table(page).waitFor()
    const total = page.getByRole('status').filter({ hasText: 'not yet exported' })
    await total.getByText('60 stores, 60 not yet exported this period').waitFor()
    await expectGoodLooks(page, 'stores-all')
    await group(page, 'Countries').getByRole('searchbox').fill('ger')
    const germany = group(page, 'Countries').getByRole('checkbox', { name: 'Germany', description: '40' })
    await germany.check()
    await total.getByText('40 stores').waitFor()
    // As if no country was chosen.
    expect(await germany.isChecked()).toBe(true)
    await group(page, 'Countries').getByRole('checkbox', { name: 'Algeria', description: '0' }).waitFor()
    await group(page, 'Apps').getByRole('button', { name: 'Apps' }).click()
    await group(page, 'Apps').getByText('None of').click()
    await group(page, 'Apps').getByRole('searchbox').fill('yotpo')
    await group(page, 'Apps').getByRole('checkbox', { name: 'Yotpo', description: '−20' }).check()
    await total.getByText('20 stores, 20 not yet exported').waitFor()
    await foot(page).getByText('20 stores').waitFor()
    await foot(page)
      .getByText(/20 search rows used · [\d,]+ left$/)
      .waitFor()
    expect(new URL(page.url()).search).toBe('?countries=DE&apps_none=yotpo')
    const chips = page.getByRole('list', { name: 'Filters' })
    expect(await chips.getByRole('button').allInnerTexts()).toEqual([
      'Remove\nGermany',
      'Remove\nnot\nYotpo',
      'Clear all',
    ])
    await chips.getByRole('button', { name: 'Remove not Yotpo' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?countries=DE')
    await page.goBack()
    await foot(page).getByText('20 stores').waitFor()
    await chips.getByRole('button', { name: 'Remove not Yotpo' }).waitFor()
    await expectGoodLooks(page, 'stores-filtered')
  })

  test('takes two quick changes, the second before the first has arrived', async () => {
    const page = await app.open('/stores', { as: member })
    await table(page).waitFor()
    const boxes = group(page, 'Countries').getByRole('checkbox', { name: /^(Germany|France)$/ })
    // Counts put the values in their order.
    await group(page, 'Countries').getByRole('checkbox', { name: 'France', description: '20' }).waitFor()
    await boxes.evaluateAll((all) => {
      for (const box of all) box.click()
    })
    await expect.poll(() => new URL(page.url()).search).toBe('?countries=DE+FR')
    expect(await boxes.evaluateAll((all) => all.map((box) => box.matches(':checked')))).toEqual([true, true])
  })

  test('asks once for each page: going back, focus and the way from a store cost nothing, nor does a reload', async () => {
    const other = await createMember(app)
    const page = await app.open('about:blank', { as: other })
    const searches = countRequests(page, '/stores/search')
    await page.goto('/stores?countries=DE')
    await foot(page).getByText('25 stores').waitFor()
    await button(page, 'Next page').click()
    await foot(page).getByText('15 stores on page 2').waitFor()
    expect(searches()).toBe(2)
    await button(page, 'Previous page').click()
    await page.getByRole('link', { name: 'Shop 7', exact: true }).click()
    await page.getByRole('heading', { name: 'Shop 7', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'All stores' }).click()
    await foot(page).getByText('25 stores').waitFor()
    await page.evaluate("dispatchEvent(new Event('visibilitychange')); dispatchEvent(new Event('focus')); 0")
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await foot(page).getByText('25 people').waitFor()
    await page.goBack()
    await foot(page).getByText('25 stores').waitFor()
    expect(searches()).toBe(2)
    await expect.poll(() => rowsSpent(other)).toBe(25 + 15 + 1 + 25)
    await page.reload()
    await foot(page).getByText('25 stores').waitFor()
    await foot(page)
      .getByText(/0 search rows used · [\d,]+ left$/)
      .waitFor()
    expect(searches()).toBe(3)
    expect(await rowsSpent(other)).toBe(25 + 15 + 1 + 25)
  })

  test('keeps the page over a reload, and the way back from it', async () => {
    const page = await app.open('/stores', { as: member })
    await button(page, 'Next page').click()
    await foot(page).getByText('on page 2').waitFor()
    await button(page, 'Next page').click()
    await foot(page).getByText('on page 3').waitFor()
    await page.reload()
    await foot(page).getByText('10 stores on page 3').waitFor()
    await button(page, 'Previous page').click()
    await foot(page).getByText('25 stores on page 2').waitFor()
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await foot(page).getByText('on page 2').waitFor()
  })

  test('keeps the chosen columns for the person, beside what else is kept, also when two are chosen quickly', async () => {
    const other = await createMember(app)
    await other.put('/settings', { settings: { kept: 'as it is', columns: { '/people': ['person', 'role'] } } })
    const page = await app.open('/stores', { as: other })
    const firstPut = new Gate()
    firstPut.close()
    await page.route('**/settings', (route) => firstPut.guard(route).continue(), { times: 1 })
    const isFirstSent = page.waitForRequest('**/settings')
    await button(page, 'Columns').click()
    await page.getByRole('menuitemcheckbox', { name: 'Theme' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Revenue' }).click()
    await page.keyboard.press('Escape')
    const heads = () => page.getByRole('columnheader').allInnerTexts()
    const chosen = ['Store', 'Category', 'Country', 'Traffic', 'Theme', 'People', 'Fit']
    await expect.poll(heads).toEqual(chosen)
    await isFirstSent
    firstPut.open()
    await untilLoaded(page)
    expect((await other.get('/session')).body.settings).toEqual({
      kept: 'as it is',
      columns: {
        '/people': ['person', 'role'],
        '/stores': ['store', 'category', 'country', 'traffic', 'theme', 'people', 'fit'],
      },
    })
    await page.goto('/stores')
    await expect.poll(heads).toEqual(chosen)
    await page.goto('/stores?columns=store+fit')
    await expect.poll(heads).toEqual(['Store', 'Fit'])
  })

  test('finds filters by their names and stores by their domains, by keyboard alone', async () => {
    const page = await app.open('/stores', { as: member })
    await table(page).waitFor()
    await page.keyboard.press('/')
    const search = page.getByRole('searchbox', { name: 'Search' })
    expect(await search.evaluate((field) => field.matches(':focus'))).toBe(true)
    await page.keyboard.type('klavi')
    await page
      .getByRole('option', { name: /^Klaviyo/ })
      .first()
      .waitFor()
    expect(await runAxe(page)).toEqual([])
    await screenshot(page, 'stores-search')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('?apps=klaviyo')
    await page.keyboard.type('https://www.shop-3.example/about')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '蝋燭の店 🕯️', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/stores/www.shop-3.example')
  })

  test('turns words into filters, and keeps those that it does not know', async () => {
    const page = await app.open('/stores', { as: member })
    await table(page).waitFor()
    await page.keyboard.press('/')
    const search = page.getByRole('searchbox', { name: 'Search' })
    await page.keyboard.type('klaviyo not yotpo germany 10k-50k klarnna')
    const words = page.getByRole('option', { name: 'Germany Klaviyo not Yotpo 10K to 50K visits a month' })
    await words.waitFor()
    expect(await words.getAttribute('aria-selected')).toBe('true')
    await page.getByRole('option', { name: 'Klarna Apps, for “klarnna”' }).waitFor()
    await page.getByText('“klarnna” is not known; it stays in the field.').waitFor()
    await expectGoodLooks(page, 'stores-words')
    await page.keyboard.press('Enter')
    const filters = '?countries=DE&apps=klaviyo&apps_none=yotpo&traffic=10k_50k'
    await expect.poll(() => new URL(page.url()).search).toBe(filters)
    await foot(page).getByText('20 stores').waitFor()
    expect(await search.inputValue()).toBe('klarnna')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove Klarna' }).waitFor()
    expect(await search.inputValue()).toBe('')
    await page.keyboard.type('not germany')
    await page.getByText('“not germany”: Germany cannot be left out, only chosen.').waitFor()
    await page.keyboard.press('Escape')
    expect(await search.inputValue()).toBe('')
  })

  test('leaves out what is exported, revealed or on a list, in rows and counts alike', async () => {
    const own = await createMember(app)
    const users = { person: { roles_any: ['marketing'] }, store: { countries: ['DE'] }, limit: 3 }
    const { body: found } = await own.ask('/contacts/search', users)
    const ids = found.data.map(({ id }: { id: string }) => id)
    expect((await own.ask('/contacts/reveal', { contact_ids: ids })).status).toBe(200)
    const { body: list } = await own.ask('/lists', { name: 'Known', kind: 'stores' })
    const domains = ['shop-10.example', 'shop-11.example']
    expect((await own.ask(`/lists/${list.id}/items`, { domains })).body.added).toBe(2)

    const page = await app.open('/stores?countries=DE', { as: own })
    const total = page.getByRole('status').filter({ hasText: 'not yet exported' })
    await total.getByText('40 stores, 37 not yet exported').waitFor()
    await table(page).getByText('shop-0.example').waitFor()
    await group(page, 'Exclude').getByRole('button', { name: 'Exclude' }).click()
    const leaveOut = (name: string | RegExp) => group(page, 'Exclude').getByRole('checkbox', { name })
    await leaveOut('Leave out exported this period').check()
    await total.getByText('37 stores, 37 not yet exported').waitFor()
    await table(page).getByText('shop-0.example').waitFor({ state: 'detached' })
    await leaveOut(/^Known/).check()
    await total.getByText('35 stores, 35 not yet exported').waitFor()
    await table(page).getByText('shop-10.example').waitFor({ state: 'detached' })
    await group(page, 'Countries').getByRole('checkbox', { name: 'Germany', description: '35' }).waitFor()
    await leaveOut('Leave out exported this period').uncheck()
    await total.getByText('38 stores, 35 not yet exported').waitFor()
    await table(page).getByText('shop-0.example').waitFor()
    await leaveOut('Leave out revealed').check()
    await total.getByText('35 stores, 35 not yet exported').waitFor()
    await table(page).getByText('shop-0.example').waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('exclude_lists')).toBe(list.id)
    const chips = page.getByRole('list', { name: 'Filters' })
    await chips.getByRole('button', { name: /^Remove without .*Known/ }).click()
    await total.getByText('37 stores, 37 not yet exported').waitFor()
    await table(page).getByText('shop-10.example').waitFor()
    await expectGoodLooks(page, 'stores-exclude')
  })

  test('shows rows without numbers where they cannot be counted, and the total alone where values cannot', async () => {
    const page = await app.open('about:blank', { as: member, tolerates: (status) => status === 503 })
    const error = { code: 'service_unavailable', message: 'Facets cannot be counted here.', request_id: 'req_test' }
    let isClosed = true
    const refuse = (route: Route) =>
      isClosed || route.request().postDataJSON().facets
        ? route.fulfill({ status: 503, json: { error } })
        : route.continue()
    await page.route('**/stores/count', refuse)
    await page.goto('/stores')
    await foot(page).getByText('25 stores').waitFor()
    expect(await page.getByText('not yet exported').count()).toBe(0)
    isClosed = false
    await group(page, 'Countries').getByRole('checkbox', { name: 'Germany' }).check()
    await page.getByText('40 stores, 40 not yet exported this period').waitFor()
    await page.getByText('The numbers beside filters cannot be counted at the moment.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('shows hostile names as they are, and does not run them', async () => {
    const page = await app.open('/stores', { as: member })
    await page.getByRole('link', { name: hostileName }).waitFor()
    await page.getByRole('link', { name: longName }).waitFor()
    expect(await page.title()).toBe('Stores · Storedex')
    await page.getByRole('link', { name: hostileName }).click()
    await page.getByRole('heading', { name: hostileName, level: 1 }).waitFor()
    await expectGoodLooks(page, 'store-hostile')
  })

  test('gives the search as code that the API understands', async () => {
    const page = await app.open('/stores?countries=DE&apps_none=yotpo', {
      as: member,
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    await table(page).waitFor()
    await button(page, 'Copy as').click()
    await page.getByRole('menuitem', { name: 'curl' }).click()
    await page.getByText('Copied. Set STOREDEX_API_KEY').waitFor()
    const command = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(command).toContain(`curl '${app.url}/api/v1/stores/search'`)
    expect(command).toContain('Bearer $STOREDEX_API_KEY')
    const body = JSON.parse(/-d '(.*)'$/.exec(command)![1]!)
    const key = await app.keyOf(member.account, {})
    expect((await key.post('/stores/search', body)).body.data).toHaveLength(20)
  })

  test('says what to do when nothing matches', async () => {
    const page = await app.open('/stores?countries=AQ&themes=free', { as: member })
    await page.getByText('No store matches').waitFor()
    await expectGoodLooks(page, 'stores-nothing')
    await page.getByRole('button', { name: 'Remove Antarctica' }).click()
    await foot(page).getByText('25 stores').waitFor()
  })

  test('says what failed, with the request, and tries again', async () => {
    const page = await app.open('about:blank', { as: member, tolerates: (status) => status === 500 })
    const error = { code: 'internal_error', message: 'Something went wrong on our side.', request_id: 'req_test' }
    await page.route('**/stores/search', (route) => route.fulfill({ status: 500, json: { error } }), { times: 1 })
    await page.goto('/stores')
    await page.getByRole('alert').getByText('Something went wrong on our side.').waitFor()
    await page.getByText('req_test').waitFor()
    await expectGoodLooks(page, 'stores-error')
    await button(page, 'Try again').click()
    await table(page).waitFor()
  })

  test('keeps the rows while others are on their way, and drops a request that is outdated', async () => {
    const page = await app.open('/stores', { as: member })
    await table(page).waitFor()
    const aborted: string[] = []
    page.on('requestfailed', (request) => {
      if (request.url().endsWith('/stores/search')) aborted.push(request.postData() ?? '')
    })
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/stores/search', async (route) => {
      await answered
      await route.continue().catch(() => undefined)
    })
    await group(page, 'Countries').getByRole('checkbox', { name: 'France' }).check()
    await page.locator('table[aria-busy=true]').waitFor()
    expect(await page.getByRole('row').count()).toBe(26)
    await group(page, 'Countries').getByRole('checkbox', { name: 'France' }).uncheck()
    await expect.poll(() => aborted.filter((body) => body.includes('FR'))).toHaveLength(1)
    answer()
    await foot(page).getByText('25 stores').waitFor()
  })

  test('says what is closed without a plan, and leads to Billing', async () => {
    const lapsed = await createMember(app, { plan: 'free' })
    const page = await app.open('/stores', { as: lapsed })
    await page.getByText('Stores are closed').waitFor()
    await expectGoodLooks(page, 'stores-closed')
    await page.goto('/stores/shop-1.example')
    await page.getByText('Stores are closed').waitFor()
    await page.getByRole('link', { name: 'Go to Billing' }).click()
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
  })

  test('says when it goes on after the rows of an hour, and of a period', async () => {
    const tolerates = (status: number) => status === 429
    const busy = await createMember(app)
    await setViewed(app, busy, 3_000)
    const page = await app.open('/stores', { as: busy, tolerates })
    await page.getByText('You have looked at as many rows as a person may within an hour').waitFor()
    await page.getByText(/It goes on at \d+:\d+/).waitFor()
    await expectGoodLooks(page, 'stores-limit')
    const poor = await createMember(app)
    await app.setAccount(poor.account, { limits: { search_rows: 10 } })
    const closed = await app.open('/stores', { as: poor, tolerates })
    await closed.getByText('Too few search rows are left for another page').waitFor()
    await closed.getByRole('link', { name: 'Compare plans' }).waitFor()
  })

  test('has its filters in a drawer on a phone', async () => {
    const page = await app.open('/stores?countries=DE', {
      as: member,
      context: { viewport: { width: 390, height: 844 }, hasTouch: true },
    })
    await page.getByRole('list', { name: 'Stores' }).waitFor()
    await page.getByRole('button', { name: 'Filters (1)' }).click()
    const drawer = page.getByRole('dialog', { name: 'Filters' })
    await drawer.getByRole('checkbox', { name: 'Germany' }).waitFor()
    expect(await runAxe(page)).toEqual([])
    await screenshot(page, 'stores-drawer')
    await drawer.getByRole('checkbox', { name: 'Germany' }).uncheck()
    await drawer.getByRole('button', { name: 'Show results' }).click()
    await page.getByRole('button', { name: 'Filters', exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('')
  })
})

describeInBrowser('the page of a store', () => {
  let app: BrowserApp
  let member: TestMember
  beforeAll(async () => {
    app = await startBrowserApp()
    await importShops(app)
    member = await createMember(app)
  })

  test('shows facts, people and technologies for one row, and leads to the stores beside it', async () => {
    const page = await app.open('/stores', { as: member })
    await page.getByRole('link', { name: 'Shop 8', exact: true }).click()
    await page.getByRole('heading', { name: 'Shop 8', level: 1 }).waitFor()
    await page.getByText('9 of 25 on the page').waitFor()
    await page.getByRole('table', { name: 'People of the store' }).waitFor()
    await page.getByText('Email marketing').waitFor()
    const shop = page.getByRole('link', { name: 'shop-8.example' })
    expect(await shop.getAttribute('href')).toBe('https://shop-8.example/')
    expect(await shop.getAttribute('rel')).toContain('noopener noreferrer')
    await expectGoodLooks(page, 'store')
    await button(page, 'Next store').click()
    await page.getByRole('heading', { name: 'Shop 9', level: 1 }).waitFor()
    await button(page, 'Previous store').click()
    await page.getByRole('heading', { name: 'Shop 8', level: 1 }).waitFor()
    expect((await readSpent(app, member.account)).search_rows).toBe(25 + 1 + 1)
  })

  test('goes on to the next page of the result, and says that it costs rows', async () => {
    const other = await createMember(app)
    const page = await app.open('/stores?countries=DE', { as: other })
    await page.getByRole('link', { name: 'Shop 24', exact: true }).click()
    await page.getByText('25 of 25 on the page').waitFor()
    // Leaving before the store is shown cancels its request, which then may cost nothing.
    await page.getByRole('heading', { name: 'Shop 24', level: 1 }).waitFor()
    await button(page, 'Next store, with up to 25 search rows').click()
    await page.getByRole('heading', { name: 'Shop 25', level: 1 }).waitFor()
    await page.getByText('1 of 15 on the page').waitFor()
    expect((await readSpent(app, other.account)).search_rows).toBe(25 + 1 + 15 + 1)
    await button(page, 'Previous store').click()
    await page.getByRole('heading', { name: 'Shop 24', level: 1 }).waitFor()
    await button(page, 'Next store').click()
    await page.getByRole('heading', { name: 'Shop 25', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'All stores' }).click()
    await foot(page).getByText('15 stores on page 2').waitFor()
    await button(page, 'Previous page').click()
    await foot(page).getByText('25 stores').waitFor()
    expect((await readSpent(app, other.account)).search_rows).toBe(25 + 1 + 15 + 1)
  })

  test('copies the store after asking once, because it uses an export', async () => {
    const other = await createMember(app)
    const page = await app.open('/stores/shop-8.example', {
      as: other,
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    const copy = async (name: string) => {
      await button(page, 'Copy').click()
      await page.getByRole('menuitem', { name }).click()
    }
    await copy('Copy as JSON')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This uses one store export').waitFor()
    expect(await runAxe(page)).toEqual([])
    await screenshot(page, 'store-copy')
    expect((await readSpent(app, other.account)).store_exports).toBe(0)
    await dialog.getByRole('button', { name: 'Copy as JSON' }).click()
    await page.getByText('shop-8.example is copied as JSON.').waitFor()
    expect(JSON.parse(String(await page.evaluate('navigator.clipboard.readText()')))).toMatchObject({ name: 'Shop 8' })
    await copy('Copy as CSV')
    await page.getByText('shop-8.example is copied as CSV.').waitFor()
    expect((await readSpent(app, other.account)).store_exports).toBe(1)
  })

  test('tells what changed, the newest first, and older changes for nothing more', async () => {
    const record = { domain: 'shop-50.example' }
    for (let step = 1; step <= 7; step++) await app.importStores([{ ...record, name: `Step ${step}` }])
    await app.importStores([
      {
        ...record,
        name: hostileName,
        traffic_tier: '50k_100k',
        country: null,
        platform_plus: true,
        aliases: ['old-name.example'],
        technologies: { apps: ['gorgias'], theme: { type: 'paid' } },
      },
    ])
    await app.db.query(
      `update store_changes set at = at - make_interval(days => 20 * ((select max(batch) from store_changes) - batch)::integer)
       where store_id = (select store_id from store_domains where host = 'shop-50.example')`,
    )
    const other = await createMember(app)
    const page = await app.open('/stores/shop-50.example', { as: other })
    const history = page.getByRole('region', { name: 'History' })
    const sentences = async () =>
      (await history.getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    await history.getByText('Gorgias').waitFor()
    expect((await sentences()).slice(0, 7)).toEqual([
      `Name Step 7 → ${hostileName} now`,
      'Country France → not known now',
      'Traffic 10k–50k → 50k–100k now',
      'Platform tier Standard → Premium now',
      'Gorgias added, Klaviyo, Yotpo removed now',
      'Theme type Free → Paid now',
      'Alias old-name.example added now',
    ])
    expect((await sentences())[7]).toBe('Name Step 6 → Step 7 2 weeks ago')
    await expectGoodLooks(page, 'store-history')
    const asked = countRequests(page, '/history')
    await history.getByRole('button', { name: 'Show older changes' }).click()
    await history.getByText('Added to the catalogue').waitFor()
    expect(await sentences()).toHaveLength(15)
    expect(await history.getByRole('button').count()).toBe(0)
    await page.getByRole('link', { name: 'All stores' }).click()
    await page.goBack()
    await history.getByText('Added to the catalogue').waitFor()
    expect(asked()).toBe(1)
    const spent = await readSpent(app, other.account)
    expect(spent).toMatchObject({ store_exports: 0 })
    await app.db.query(
      'delete from store_changes where store_id = (select store_id from store_domains where host = $1)',
      ['shop-51.example'],
    )
    await page.goto('/stores/shop-51.example')
    await history.getByText('No change is on record').waitFor()
    await screenshot(page, 'store-no-history')
  })

  test('says that a domain is not known', async () => {
    const page = await app.open('/stores/unknown.example', { as: member, tolerates: (status) => status === 404 })
    await page.getByText('No store is known for unknown.example.').waitFor()
    await expectGoodLooks(page, 'store-unknown')
  })
})
