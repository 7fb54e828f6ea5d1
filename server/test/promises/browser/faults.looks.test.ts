import type { Page, Request } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import type { Json } from '../../support/client.ts'
import { aurora } from '../../support/fixtures.ts'
import { createMember, readLedger, setViewed, type TestMember } from '../../support/members.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { takeProblems } from './support/console-page.ts'
import { expectGoodLooks, screenshot } from './support/looks.ts'

const domain = aurora.domain
const banner = 'The server cannot be reached; trying again'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const calls = '**/console/api/**'

/** The server is away: the network refuses its calls. */
const takeAway = (page: Page) => page.route(calls, (route) => route.abort('connectionrefused'))

describeInBrowser('when something fails', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
    await app.importStores([aurora])
    await app.importContacts(
      ['Mara', 'Jonas', 'Elif'].map((first_name) => ({
        store_domain: domain,
        external_id: first_name,
        first_name,
        last_name: 'Test',
        emails: [{ email: `${first_name}@people.example`, status: 'verified' }],
      })),
    )
  })

  const creditsSpent = async ({ account }: TestMember) =>
    (await readLedger(app, account)).filter(({ meter }) => meter === 'contact_credits').map(({ amount }) => amount)
  const revealBySelf = async (member: TestMember, count: number) => {
    const { body } = await member.ask('/contacts/search', { max_contacts_per_store: 10 })
    const ids = body.data.slice(0, count).map(({ id }: Json) => id)
    const headers = { 'idempotency-key': crypto.randomUUID() }
    expect((await member.ask('/contacts/reveal', { contact_ids: ids }, headers)).status).toBe(200)
  }
  const askToReveal = async (page: Page, names: readonly string[]) => {
    for (const name of names) await page.getByRole('checkbox', { name: new RegExp(`^Select ${name}`) }).check()
    await button(page, 'Reveal').click()
    return page.getByRole('button', { name: new RegExp(`^Reveal ${names.length} p`) })
  }

  test('a server that is away is said, keeps what was typed, and comes back by itself', async () => {
    const member = await createMember(app)
    await revealBySelf(member, 2)
    const page = await app.open('/revealed', { as: member })
    const rows = page.getByRole('rowheader')
    await expect.poll(() => rows.count()).toBe(2)
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.fill(domain)
    await takeAway(page)
    await search.press('Enter')
    await page.getByRole('status').getByText(banner).waitFor()
    expect(await search.inputValue()).toBe(domain)
    // The rows of the question before are paler meanwhile.
    await screenshot(page, 'faults-away')
    // Another page, loaded while the server is away, waits as well.
    await page.getByRole('navigation').getByRole('link', { name: 'Stores', exact: true }).click()
    await page.waitForURL('**/stores')
    await page.unroute(calls)
    await page.getByRole('status').getByText(banner).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: aurora.name }).waitFor()
    await page.goBack()
    await expect.poll(() => rows.count()).toBe(2)
    expect(new URL(page.url()).search).toBe(`?store=${domain}`)
  })

  test('a form that could not be sent keeps what was typed', async () => {
    const page = await app.open('/sign-in', { tolerates: (status) => status === 401 })
    await page.getByLabel('Email').fill('mara@people.example')
    await page.getByLabel('Password').fill('a long password')
    await takeAway(page)
    await button(page, 'Sign in').click()
    await page.getByRole('alert').getByText('Nothing that you entered is lost; try again.').waitFor()
    expect(await page.getByLabel('Password').inputValue()).toBe('a long password')
    await page.unroute(calls)
    await page.getByText(banner).waitFor({ state: 'detached' })
    await button(page, 'Sign in').click()
    await page
      .getByRole('alert')
      .getByText(/email|password/i)
      .waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('mara@people.example')
  })

  test('a reveal whose reply is lost is asked for again with the same key, and spends once', async () => {
    const member = await createMember(app)
    const page = await app.open('/people', { as: member })
    const sent: Request[] = []
    await page.route('**/contacts/reveal', async (route, request) => {
      sent.push(request)
      if (sent.length > 1) return route.continue()
      // The server carries it out; the answer gets lost.
      const reply = await route.fetch()
      expect(reply.status()).toBe(200)
      await route.abort('connectionreset')
    })
    await (await askToReveal(page, ['Mara', 'Jonas'])).click()
    const dialog = page.getByRole('dialog', { name: '2 people revealed' })
    await dialog.getByText('2 credits spent').waitFor()
    await dialog
      .getByRole('link', { name: /@people\.example/ })
      .first()
      .waitFor()
    const keys = await Promise.all(sent.map((request) => request.headerValue('idempotency-key')))
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBeTruthy()
    expect(keys[1]).toBe(keys[0])
    expect(await creditsSpent(member)).toEqual([2])
  })

  test('credits that somebody else spent meanwhile are said, and nothing is spent', async () => {
    const member = await createMember(app)
    await app.setAccount(member.account, { limits: { contact_credits: 2 } })
    const page = await app.open('/people', { as: member, tolerates: (status) => status === 402 })
    const reveal = await askToReveal(page, ['Mara', 'Jonas', 'Elif'])
    await page.getByRole('dialog').getByText('1 credit is missing. Select fewer people').waitFor()
    expect(await reveal.getAttribute('aria-disabled')).toBe('true')
    await screenshot(page, 'faults-shortage')
    await button(page, 'Cancel').click()
    await page.getByRole('checkbox', { name: /^Select Elif/ }).uncheck()
    await button(page, 'Reveal').click()
    const confirm = button(page, 'Reveal 2 people')
    await expect.poll(() => confirm.isEnabled()).toBe(true)
    const { body } = await member.ask('/contacts/search', { max_contacts_per_store: 10 })
    const elif = body.data.find(({ first_name }: Json) => first_name === 'Elif').id
    const headers = { 'idempotency-key': crypto.randomUUID() }
    expect((await member.ask('/contacts/reveal', { contact_ids: [elif] }, headers)).status).toBe(200)
    await confirm.click()
    await page
      .getByRole('alert')
      .getByText(/^2 contact credits are needed, but 1 of 2 is left until/)
      .waitFor()
    await expectGoodLooks(page, 'faults-credits')
    expect(await creditsSpent(member)).toEqual([1])
  })

  test('the limit of rows in an hour is said, with the time when it goes on', async () => {
    const member = await createMember(app)
    await setViewed(app, member, 3_000)
    const page = await app.open('/stores', { as: member, tolerates: (status) => status === 429 })
    await page.getByText('You have looked at as many rows as a person may within an hour').waitFor()
    await page.getByText(/It goes on at \d/).waitFor()
    await expectGoodLooks(page, 'faults-hour')
    await setViewed(app, member, 0)
    await button(page, 'Try again').click()
    await page.getByRole('link', { name: aurora.name }).waitFor()
  })

  test('a tab of an older version says that a new one is here, and loads it', async () => {
    const page = await app.open('/stores', { as: await createMember(app), tolerates: (status) => status === 404 })
    await page.getByRole('link', { name: aurora.name }).waitFor()
    // What the older version was made of is gone.
    const assets = '**/assets/*.js'
    await page.route(assets, (route) => route.fulfill({ status: 404, json: { error: { code: 'route_not_found' } } }))
    await page.getByRole('navigation').getByRole('link', { name: 'Billing', exact: true }).click()
    await page.getByRole('alert').getByText('A new version of Storedex is here').waitFor()
    await expectGoodLooks(page, 'faults-outdated')
    // The console says why it drew something else.
    const others = takeProblems(page).filter((text) => !text.includes('This page could not be loaded.'))
    expect(others).toEqual([])
    await page.unroute(assets)
    await page.getByRole('alert').getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
    expect(await page.getByText('A new version of Storedex is here').count()).toBe(0)
  })
})
