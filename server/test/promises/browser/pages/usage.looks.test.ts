import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { TestUser } from '../../../support/user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'

const dayMs = 86_400_000

describeInBrowser('the page of usage', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
    await app.importStores(
      Array.from({ length: 6 }, (_, index) => ({ domain: `plot-${index}.example`, name: `Plot ${index}` })),
    )
  })

  const numberOf = (id: string) => app.deps.ids.open(id)!.value
  const plot = (page: Page, meter: string) => page.getByRole('slider', { name: `${meter} by day` })
  const entries = (page: Page) => page.getByRole('table', { name: 'Ledger' }).getByRole('row')

  /** An account that has spent by a key, today by the API and on earlier days. */
  async function spendingAccount(
    earlier = 30,
  ): Promise<{ person: TestUser; key: Awaited<ReturnType<BrowserApp['key']>> }> {
    const key = await app.key({ limits: { contact_credits: 50 } })
    const user = await app.person({ account: key.account, name: 'Mara Owner' })
    await app.db.query('update api_keys set name = $2 where id = $1', [numberOf(key.id), 'CRM sync'])
    await key.post('/stores/search', { filters: {}, limit: 5 })
    await app.db.query(
      `insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
       select $1, 'live', (array['contact_credits', 'store_exports', 'search_rows'])[1 + n % 3], $2, n,
              'req_' || repeat('a', 20) || n, $2::timestamptz - n * interval '9 hours',
              case when n % 2 = 0 then $3::bigint end, case when n % 2 = 1 then $4::bigint end
       from generate_series(1, $5::integer) n`,
      [app.accountNumber(key.account), app.clock.now(), numberOf(key.id), numberOf(user.id), earlier],
    )
    await app.db.query(
      `insert into usage_counters (account_id, mode, meter, period_start, used, allowance)
       select account_id, mode, 'contact_credits', period_start, 45, 50 from usage_counters
       where account_id = $1 and meter = 'search_rows'`,
      [app.accountNumber(key.account)],
    )
    return { person: user, key }
  }

  test('says what is left, warns, and shows who spent what on which day', async () => {
    const { person: user } = await spendingAccount()
    const page = await app.open('/usage?range=30d', { as: user })
    await page.getByText('5 of 50 contact credits are left.').waitFor()
    await page.getByRole('link', { name: 'Go to Billing' }).waitFor()
    await plot(page, 'Search rows').waitFor()
    await entries(page).nth(32).waitFor()
    await expectGoodLooks(page, 'usage')

    // The newest entries are those of the search, with the key and the request.
    const first = entries(page).nth(1)
    await first.getByText('CRM sync').waitFor()
    await first.getByText(/^req_/).waitFor()
    await page.getByText('By key').click()
    await page.getByRole('list', { name: 'Legend' }).getByText('CRM sync').waitFor()
    await page.getByRole('list', { name: 'Legend' }).getByText('People in the console').waitFor()
    await page.getByText('By person').click()
    await page.getByRole('list', { name: 'Legend' }).getByText('Mara Owner').waitFor()
    expect(new URL(page.url()).search).toBe('?range=30d&by=person')
    await expectGoodLooks(page, 'usage-by-person')

    // The same figures as a table.
    await page.getByRole('button', { name: 'Show as table' }).click()
    const table = page.getByRole('table', { name: 'Spent by day' })
    await table.getByRole('columnheader', { name: 'Search rows: API keys' }).waitFor()
    await expectGoodLooks(page, 'usage-table')
  })

  test('a day is chosen by keyboard, and the ledger shows that day', async () => {
    const { person: user } = await spendingAccount()
    const page = await app.open('/usage?range=30d', { as: user })
    const rows = plot(page, 'Search rows')
    await rows.focus()
    const [today, before] = [app.clock.now(), new Date(app.clock.now().getTime() - dayMs)]
    const dayOf = (date: Date) => date.toISOString().slice(0, 10)
    await page.keyboard.press('ArrowLeft')
    await expect
      .poll(() => rows.getAttribute('aria-valuetext'))
      .toMatch(new RegExp(`${before.getUTCFullYear()}: \\d+$`))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Show all days again' }).waitFor()
    expect(new URL(page.url()).searchParams.get('bar')).toBe(`${dayOf(before)}..${dayOf(before)}`)
    await expect.poll(() => entries(page).count()).toBeLessThan(6)
    await page.goBack()
    await expect.poll(() => entries(page).count()).toBe(33)
    await rows.focus()
    await expect.poll(() => rows.getAttribute('aria-valuetext')).toContain(String(today.getUTCFullYear()))
  })

  test('the ledger is filtered and paged by the address, and its file holds the same', async () => {
    const { person: user } = await spendingAccount(120)
    const page = await app.open('/usage?range=90d', { as: user })
    await entries(page).nth(50).waitFor()
    const firstPage = await entries(page).allTextContents()
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(async () => (await entries(page).allTextContents())[1]).not.toBe(firstPage[1])
    expect(new URL(page.url()).searchParams.get('cursor')).toMatch(/^cur_/)
    await page.reload()
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => entries(page).count()).toBeLessThan(51)
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await expect.poll(() => entries(page).allTextContents()).toEqual(firstPage)

    await page.getByRole('button', { name: /Everybody/ }).click()
    await page.getByRole('option', { name: /Mara Owner/ }).click()
    await page.getByRole('button', { name: /All meters/ }).click()
    await page.getByRole('option', { name: 'Store exports' }).click()
    await expect.poll(() => entries(page).count()).toBeLessThan(30)
    const shown = await entries(page).count()
    expect(new URL(page.url()).searchParams.get('who')).toBe(user.id)
    await expectGoodLooks(page, 'usage-filtered')

    const started = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download CSV' }).click()
    const download = await started
    expect(download.suggestedFilename()).toMatch(/^storedex-ledger-\d{4}-\d\d-\d\d\.csv$/)
    const lines = parse(readFileSync(await download.path()), { columns: true }) as Record<string, string>[]
    expect(lines).toHaveLength(shown - 1)
    expect(new Set(lines.map(({ meter, spent_by }) => `${meter} ${spent_by}`))).toEqual(
      new Set(['store_exports Mara Owner']),
    )
  })

  test('says that nothing was spent, also without access', async () => {
    const user = await app.person({ plan: 'free' })
    const page = await app.open('/usage', { as: user })
    await page.getByText('Nothing was spent in this period').first().waitFor()
    await page.getByText('Not part of the current plan').first().waitFor()
    await expectGoodLooks(page, 'usage-empty')
    await page.getByText('Test', { exact: true }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?mode=test')
  })

  test('other days are chosen by their first and last', async () => {
    const { person: user } = await spendingAccount()
    const page = await app.open('/usage?range=30d', { as: user })
    await entries(page).nth(32).waitFor()
    await page.getByRole('button', { name: /Last 30 days/ }).click()
    await page.getByRole('option', { name: 'Other days' }).click()
    const twoDaysAgo = new Date(app.clock.now().getTime() - 2 * dayMs).toISOString().slice(0, 10)
    await page.getByLabel('First day').fill(twoDaysAgo)
    await expect.poll(() => entries(page).count()).toBeLessThan(12)
    expect(new URL(page.url()).searchParams.get('from')).toBe(twoDaysAgo)
    await expectGoodLooks(page, 'usage-days')
  })

  test('what cannot be loaded says so with the id of the request, and can be tried again', async () => {
    const requestId = 'req_bbbbbbbbbbbbbbbbbbbbbbbb'
    const page = await app.open('about:blank', { as: await app.person(), tolerates: (status) => status === 500 })
    const error = {
      type: 'server_error',
      code: 'internal_error',
      message: 'Something went wrong.',
      request_id: requestId,
    }
    await page.route('**/usage?*', (route) =>
      new URL(route.request().url()).pathname.startsWith('/console/api/')
        ? route.fulfill({ status: 500, json: { error } })
        : route.continue(),
    )
    await page.goto('/usage')
    await page.getByText(requestId).waitFor()
    await expectGoodLooks(page, 'usage-error')
    await page.unroute('**/usage?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Nothing was spent in this period').first().waitFor()
  })
})
