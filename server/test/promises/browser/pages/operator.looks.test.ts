import { beforeAll, expect, test } from 'vitest'
import type { TestUser } from '../../../support/user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'

describeInBrowser('the operator’s pages', () => {
  let app: BrowserApp
  let operator: TestUser
  beforeAll(async () => {
    app = await startBrowserApp()
    operator = await app.person({ operator: true, account: null, name: 'Olga Operator' })
    await app.importStores([{ domain: 'aurora-candles.example', name: 'Aurora Candles' }])
  })

  test('an account is created, granted a plan, limited, suspended and resumed', async () => {
    const page = await app.open('/operator/accounts', { as: operator })
    await page.getByRole('button', { name: 'New account' }).click()
    const creating = page.getByRole('dialog', { name: 'New account' })
    await creating.getByLabel('Name').fill('Kerzen & Söhne <i>مخزن</i>')
    await expectGoodLooks(page, 'operator-new-account')
    await creating.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Kerzen & Söhne <i>مخزن</i>', level: 1 }).waitFor()
    await expectGoodLooks(page, 'operator-account')

    await page.getByRole('button', { name: 'Change plan' }).click()
    const plan = page.getByRole('dialog', { name: 'Change plan' })
    await expectGoodLooks(page, 'operator-change-plan')
    await plan.getByRole('button', { name: /Plan$/ }).click()
    await page.getByRole('option', { name: 'Business' }).click()
    await plan.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Active', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Change limits' }).click()
    const limits = page.getByRole('dialog', { name: 'Change limits' })
    await limits.getByLabel('Search rows').fill('1234')
    await expectGoodLooks(page, 'operator-change-limits')
    await limits.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Override').waitFor()

    await page.getByRole('button', { name: 'Suspend' }).click()
    const question = page.getByRole('dialog')
    await expectGoodLooks(page, 'operator-suspend')
    await question.getByRole('button', { name: 'Suspend' }).click()
    await page.getByText('Suspended', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Active', { exact: true }).waitFor()

    const table = page.getByRole('table', { name: 'Last changes' })
    for (const text of ['Account: created', 'Account: suspended', 'Account: resumed'])
      await table.getByText(text).waitFor()
  })

  test('accounts are found by name, and an address that is searched stays out of the page’s address', async () => {
    const found = await app.person({ plan: 'pro' })
    await app.db.query("update accounts set name = 'Findable', email = 'ines@kraken.example' where id = $1", [
      app.accountNumber(found.account),
    ])
    const page = await app.open('/operator/accounts', { as: operator })
    const search = page.getByRole('searchbox', { name: 'Search' })
    const link = page.getByRole('link', { name: 'Findable' })
    await search.fill('findab')
    await page.waitForURL(/search=findab/)
    await link.waitFor()
    await page.reload()
    await link.waitFor()
    await search.fill('INES@kraken')
    await page.waitForURL((url) => url.search === '')
    await expect.poll(() => page.getByRole('link', { name: /@|Findable/ }).count()).toBe(1)
    await link.waitFor()
    await search.fill('nobody is called this')
    await page.getByText('No account is like that').waitFor()
    await expectGoodLooks(page, 'operator-no-account')
    await page.getByRole('button', { name: 'Show all' }).click()
    await link.waitFor()
    await expectGoodLooks(page, 'operator-accounts')
  })

  test('seeing as an account shows a banner on every page, and Stop ends it', async () => {
    const customer = await app.person({ plan: 'pro' })
    const page = await app.open(`/operator/accounts/${customer.account}`, { as: operator })
    await page.getByRole('button', { name: 'See as' }).click()
    const banner = page.getByRole('region', { name: 'See as' })
    await banner.getByText('You can change and spend nothing').waitFor()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Billing' }).click()
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
    await expectGoodLooks(page, 'operator-see-as')
    await banner.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor()
    await expect.poll(() => banner.count()).toBe(0)
    const { rows } = await app.db.query('select action from audit_log where account_id = $1 order by entry', [
      app.accountNumber(customer.account),
    ])
    expect(rows.map(({ action }) => action)).toEqual(['see_as.started', 'see_as.stopped'])
  })

  test('a person is erased, and others are suppressed', async () => {
    await app.importContacts([
      { store_domain: 'aurora-candles.example', first_name: 'Emil', emails: [{ email: 'emil@mail.example' }] },
    ])
    const page = await app.open('/operator/privacy', { as: operator })
    await page.getByLabel('Email address or contact id').fill('emil@mail.example')
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Erase this person?' })
    await expectGoodLooks(page, 'operator-erase')
    await question.getByRole('button', { name: 'Erase' }).click()
    await page.getByText('Erased 1 contact.').waitFor()

    await page.getByRole('button', { name: 'Add suppressions' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add suppressions' })
    await dialog.getByLabel('People and sites').fill('fred@mail.example\nnot a thing')
    await dialog.getByRole('button', { name: 'Suppress and erase' }).click()
    await dialog.getByText('1 line could not be read').waitFor()
    await expectGoodLooks(page, 'operator-suppressions')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('rowheader', { name: 'Email addresses' }).waitFor()
    await expectGoodLooks(page, 'operator-privacy')
  })

  test.each([
    ['catalogue', 'Catalogue', 'Engine'],
    ['webhooks', 'Webhook events', 'No event has come yet'],
    ['system', 'System', 'PostgreSQL'],
  ])('/operator/%s tells how it is', async (path, heading, text) => {
    const page = await app.open(`/operator/${path}`, { as: operator })
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    await page.getByText(text).first().waitFor()
    await expectGoodLooks(page, `operator-${path}`)
  })

  test('an owner who is no operator finds no such page', async () => {
    const page = await app.open('/operator/accounts', {
      as: await app.person({}),
      tolerates: (status) => status === 403,
    })
    await page.getByText('This page is for operators of the installation.').waitFor()
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Operator' }).count()).toBe(0)
  })
})
