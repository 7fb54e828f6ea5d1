import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { Gate } from '../../../support/gate.ts'
import { createMember, readSpent, type TestMember } from '../../../support/members.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks, runAxe, screenshot } from '../support/looks.ts'
import { importShops } from '../support/shops.ts'

const marketingInGermany = '/people?roles=marketing&countries=DE'
const rows = (page: Page) => page.getByRole('table', { name: 'People' })
const bar = (page: Page) => page.getByRole('region', { name: 'Selection' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('dialog'))

/** Everything that the browser keeps, and the address: no channel may be in it. */
async function readTraces(page: Page): Promise<string> {
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])',
  )
  return `${kept} ${JSON.stringify(await page.context().storageState())}`
}

describeInBrowser('the page People', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
    await importShops(app)
  })
  const creditsSpent = async (member: TestMember) => (await readSpent(app, member.account)).contact_credits

  test('a newcomer has ten revealed marketing people in Germany after six clicks', async () => {
    const member = await createMember(app)
    const page = await app.open('/stores', { as: member })
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await page.getByRole('group', { name: 'Roles' }).getByRole('checkbox', { name: 'Marketing' }).click()
    await page.getByRole('group', { name: 'Countries' }).getByRole('searchbox').fill('ger')
    await page.getByRole('group', { name: 'Countries' }).getByRole('checkbox', { name: 'Germany' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?roles=marketing&countries=DE')
    await button(page, 'Select first 10').click()
    await bar(page).getByText('10 selected').waitFor()
    await bar(page).getByText('10 new = 10 credits, 0 already yours, 990 left afterwards').waitFor()
    await expectGoodLooks(page, 'people-selected')
    await button(page, 'Reveal').click()
    await dialog(page).getByText('1,000 now → 990 afterwards').waitFor()
    await expectGoodLooks(page, 'reveal-question')
    expect(await creditsSpent(member)).toBe(0)
    await button(page, 'Reveal 10 people').click()
    await page.getByRole('dialog', { name: '10 people revealed' }).waitFor()
    const email = 'mara@shop-1.example'
    expect(await dialog(page).getByRole('link', { name: email }).getAttribute('href')).toBe(`mailto:${email}`)
    await expectGoodLooks(page, 'reveal-result')
    expect(await creditsSpent(member)).toBe(10)
    expect(await readTraces(page)).not.toContain('mara@')
    await button(page, 'Done').click()
    expect(await rows(page).getByRole('link', { name: 'Revealed' }).count()).toBe(10)
    // What is paid for stays in sight.
    await rows(page).getByText('Mara 1 Lindqvist').waitFor()
    await rows(page).getByRole('link', { name: email }).waitFor()
    expect(await readTraces(page)).not.toContain('mara@')
    await bar(page).getByText('selected').waitFor({ state: 'detached' })
    await expectGoodLooks(page, 'people-revealed')
    await rows(page).getByRole('link', { name: 'Revealed' }).nth(1).click()
    await page.getByRole('heading', { name: 'Revealed', level: 1 }).waitFor()
    await page.getByRole('link', { name: email }).waitFor()
  })

  test('who was revealed stays in full, with channels to copy and for free, on a store’s page too', async () => {
    const member = await createMember(app)
    const { body } = await member.ask('/contacts/search', {
      store: { domains: ['shop-20.example'] },
      max_contacts_per_store: 2,
    })
    const mara = body.data.find(({ first_name }: { first_name: string }) => first_name === 'Mara 20')
    await member.ask('/contacts/reveal', { contact_ids: [mara.id] })
    const before = { ...(await readSpent(app, member.account)), search_rows: 0 }
    const page = await app.open('/people?domains=shop-20.example', {
      as: member,
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    for (const table of ['People', 'People of the store']) {
      const row = page.getByRole('table', { name: table, exact: true }).getByRole('row')
      const ofMara = row.filter({ hasText: 'Mara 20 Lindqvist' })
      await ofMara.getByRole('link', { name: 'mara@shop-20.example' }).waitFor()
      await ofMara.getByRole('checkbox', { name: 'Select Mara 20 Lindqvist' }).waitFor()
      await ofMara.getByRole('link', { name: 'Revealed' }).waitFor()
      await page.evaluate("navigator.clipboard.writeText('')")
      await ofMara.getByRole('button', { name: 'Copy mara@shop-20.example' }).click()
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('mara@shop-20.example')
      await ofMara.getByRole('button', { name: 'Copy +1 202 555 0100' }).waitFor()
      // Others stay as they were.
      await row.filter({ hasText: 'Jonas 20 W***' }).getByText('Profile').waitFor()
      await expectGoodLooks(page, `revealed-on-${table === 'People' ? 'people' : 'store'}`)
      if (table === 'People') await page.getByRole('link', { name: 'Shop 20', exact: true }).first().click()
    }
    expect(await readTraces(page)).not.toContain('mara@')
    expect({ ...(await readSpent(app, member.account)), search_rows: 0 }).toEqual(before)

    const viewer = await createMember(app, { account: member.account, role: 'viewer' })
    const seen = await app.open('/people?domains=shop-20.example', { as: viewer })
    const ofMara = rows(seen).getByRole('row').filter({ hasText: 'Mara 20 L***' })
    await ofMara.getByRole('link', { name: 'Revealed' }).waitFor()
    await ofMara.getByText('Verified email').waitFor()
    expect(await seen.getByText('mara@').count()).toBe(0)
  })

  test('of somebody without a channel that is known, says before a credit is spent what there is', async () => {
    await app.importContacts([
      {
        store_domain: 'shop-55.example',
        external_id: 'una',
        first_name: 'Una',
        emails: [{ email: 'una@shop-55.example', status: 'unverified' }],
      },
      { store_domain: 'shop-55.example', external_id: 'nils', first_name: 'Nils' },
    ])
    const page = await app.open('/people?domains=shop-55.example', { as: await createMember(app) })
    for (const table of ['People', 'People of the store']) {
      const row = page.getByRole('table', { name: table, exact: true }).getByRole('row')
      await row.filter({ hasText: 'Una' }).getByText('email, not verified').waitFor()
      await row.filter({ hasText: 'Nils' }).getByText('none', { exact: true }).waitFor()
      await row.getByRole('checkbox', { name: 'Select Una' }).check()
      await bar(page).getByText('1 new = 1 credit').waitFor()
      await row.getByRole('checkbox', { name: 'Select Nils' }).check()
      await bar(page).getByText('1 cannot be revealed').waitFor()
      expect(await page.getByText('una@').count()).toBe(0)
      await screenshot(page, `not-verified-${table === 'People' ? 'people' : 'store'}`)
      if (table === 'People') await page.getByRole('link', { name: 'Shop 55', exact: true }).first().click()
    }
  })

  test('keeps the selection over pages and the way to a store; another question starts without it', async () => {
    const page = await app.open(marketingInGermany, { as: await createMember(app) })
    await rows(page).getByRole('checkbox', { name: 'Select Mara 3 L***' }).check()
    await button(page, 'Next page').click()
    await rows(page).getByRole('checkbox', { name: 'Select Mara 30 L***' }).check()
    await bar(page).getByText('2 selected').waitFor()
    await page.getByRole('link', { name: 'Shop 30', exact: true }).click()
    await page.getByRole('heading', { name: 'Shop 30', level: 1 }).waitFor()
    await page.goBack()
    await button(page, 'Previous page').click()
    expect(await rows(page).getByRole('checkbox', { name: 'Select Mara 3 L***' }).isChecked()).toBe(true)
    await page.getByRole('checkbox', { name: 'Select all 25 on this page' }).check()
    await bar(page).getByText('26 selected').waitFor()
    await page.getByRole('button', { name: 'Remove Marketing' }).click()
    await bar(page).getByText('selected').waitFor({ state: 'detached' })
  })

  test('selects no ten people at once, and no page, while they answer the question before', async () => {
    const page = await app.open(marketingInGermany, { as: await createMember(app) })
    await rows(page).waitFor()
    const search = new Gate()
    search.close()
    await page.route('**/contacts/search', (route) => search.guard(route).continue())
    await page.getByRole('button', { name: 'Remove Marketing' }).click()
    await page.locator('table[aria-busy=true]').waitFor()
    expect(await button(page, 'Select first 10').isDisabled()).toBe(true)
    expect(await page.getByRole('checkbox', { name: 'Select all 25 on this page' }).isDisabled()).toBe(true)
    search.open()
    await button(page, 'Select first 10').click()
    await bar(page).getByText('10 selected').waitFor()
  })

  test('selects all that match, and says what they cost before anything is spent', async () => {
    const member = await createMember(app)
    const page = await app.open(`${marketingInGermany}&exclude_revealed=true`, { as: member })
    await page.getByText('40 contacts in 40 stores, 40 not yet revealed').waitFor()
    await button(page, 'Select all 40 that match').click()
    await bar(page).getByText('All 40 that match selected').waitFor()
    await bar(page).getByText('40 new = 40 credits').waitFor()
    await expectGoodLooks(page, 'people-all')
    await button(page, 'Next page').click()
    await rows(page).getByRole('checkbox', { name: 'Select Mara 30 L***', checked: true }).uncheck()
    await bar(page).getByText('14 selected').waitFor()
    await bar(page).getByText('14 new = 14 credits, 0 already yours, 986 left afterwards').waitFor()
    await page.getByRole('button', { name: 'Remove without revealed' }).click()
    await bar(page).getByText('selected').waitFor({ state: 'detached' })
    expect(await creditsSpent(member)).toBe(0)
  })

  test('reveals in steps of ten; Stop ends after the step that is running', async () => {
    const member = await createMember(app)
    const page = await app.open(marketingInGermany, { as: member })
    const keys: (string | undefined)[] = []
    let finishSecond = () => {}
    const isSecondFinished = new Promise<void>((resolve) => {
      finishSecond = resolve
    })
    await page.route('**/contacts/reveal', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length === 2) await isSecondFinished
      await route.continue()
    })
    await page.getByRole('checkbox', { name: 'Select all 25 on this page' }).check()
    await button(page, 'Reveal').click()
    await button(page, 'Reveal 25 people').click()
    await dialog(page).getByText('10 of 25').waitFor()
    expect(await page.getByRole('progressbar').getAttribute('aria-valuetext')).toBe('10 of 25')
    await expectGoodLooks(page, 'reveal-progress')
    await page.keyboard.press('Escape')
    await button(page, 'Stop').click()
    await dialog(page).getByText('Stopping after the step that is running.').waitFor()
    finishSecond()
    await page.getByRole('dialog', { name: '20 people revealed' }).waitFor()
    await dialog(page).getByText('What is revealed stays revealed.').waitFor()
    expect(await runAxe(page)).toEqual([])
    await screenshot(page, 'reveal-stopped')
    expect(await creditsSpent(member)).toBe(20)
    await button(page, 'Reveal the other 5 people').click()
    await page.getByRole('dialog', { name: '25 people revealed' }).waitFor()
    expect(await creditsSpent(member)).toBe(25)
    expect(new Set(keys).size).toBe(3)
  })

  test('tries a lost answer again, and pays once', async () => {
    const member = await createMember(app)
    const page = await app.open(marketingInGermany, { as: member })
    const keys: (string | undefined)[] = []
    const loseAnswer = async (route: Route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      await route.abort('connectionreset')
    }
    await page.route('**/contacts/reveal', loseAnswer)
    await button(page, 'Select first 10').click()
    await button(page, 'Reveal').click()
    await button(page, 'Reveal 10 people').click()
    await page.getByRole('dialog', { name: '10 people revealed' }).waitFor()
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
    expect(await creditsSpent(member)).toBe(10)
    expect(await page.evaluate('document.title')).toBe('People · Storedex')
  })

  test('says how many credits are missing, and leads to Billing', async () => {
    const member = await createMember(app)
    await app.setAccount(member.account, { limits: { contact_credits: 4 } })
    const page = await app.open(marketingInGermany, { as: member })
    await button(page, 'Select first 10').click()
    await bar(page).getByText('6 credits are missing').waitFor()
    await button(page, 'Reveal').click()
    await dialog(page).getByText('6 credits are missing. Select fewer people').waitFor()
    await expectGoodLooks(page, 'reveal-short')
    await button(page, 'Reveal 10 people').focus()
    await page.keyboard.press('Enter')
    expect(await creditsSpent(member)).toBe(0)
    await dialog(page).getByRole('link', { name: 'go to Billing' }).click()
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
  })

  test('says why the last credit is gone when somebody else was quicker', async () => {
    const member = await createMember(app)
    await app.setAccount(member.account, { limits: { contact_credits: 1 } })
    const colleague = await createMember(app, { account: member.account })
    const page = await app.open(marketingInGermany, { as: member, tolerates: (status) => status === 402 })
    await rows(page).getByRole('checkbox', { name: 'Select Mara 3 L***' }).check()
    await button(page, 'Reveal').click()
    await dialog(page).getByText('1 now → 0 afterwards').waitFor()
    const { body } = await colleague.ask('/contacts/search', { person: { roles_any: ['founder'] }, limit: 1 })
    expect((await colleague.ask('/contacts/reveal', { contact_ids: [body.data[0].id] })).status).toBe(200)
    await button(page, 'Reveal 1 person').click()
    await dialog(page).getByRole('alert').getByText('1 contact credit is needed, but 0 of 1 are left').waitFor()
    expect(await runAxe(page)).toEqual([])
    await screenshot(page, 'reveal-refused')
    expect(await creditsSpent(member)).toBe(1)
  })

  test('shows a viewer why the button is closed', async () => {
    const page = await app.open(marketingInGermany, { as: await createMember(app, { role: 'viewer' }) })
    await rows(page).getByRole('checkbox').nth(3).check()
    await bar(page).getByText('1 new = 1 credit').waitFor()
    await button(page, 'Reveal').hover()
    await page.getByRole('tooltip').getByText('A viewer cannot spend credits.').waitFor()
    await button(page, 'Reveal').focus()
    await page.keyboard.press('Enter')
    expect(await dialog(page).count()).toBe(0)
  })

  test('takes a pasted list of domains, and the number of people of one store', async () => {
    const page = await app.open('/people', { as: await createMember(app) })
    await page.getByRole('group', { name: 'Domains' }).getByRole('button', { name: 'Domains', exact: true }).click()
    const field = page.getByRole('textbox', { name: 'Domains of stores' })
    await field.fill('https://shop-7.example/about\nshop-9.example, nonsense')
    await button(page, 'Add domains').click()
    await page.getByText('Not a domain: nonsense.').waitFor()
    await field.fill('https://shop-7.example/about\nshop-9.example')
    await button(page, 'Add domains').click()
    await page.getByRole('status').getByText('4 people').waitFor()
    await page.getByRole('combobox', { name: 'Most people of one store' }).selectOption('1')
    await page.getByRole('status').getByText('2 people').waitFor()
    expect(new URL(page.url()).search).toBe('?domains=shop-7.example+shop-9.example&per_store=1')
  })

  test('can be used by keyboard alone, from the filter to the channels', async () => {
    const member = await createMember(app)
    const page = await app.open('/people', { as: member })
    await rows(page).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('marketing')
    await page
      .getByRole('option', { name: /^Marketing/ })
      .first()
      .waitFor()
    const answered = page.waitForResponse((response) => response.url().endsWith('/contacts/search'))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove Marketing' }).waitFor()
    // The rows of the new question take the place of those that have the focus otherwise.
    await answered
    await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0)
    await page.getByRole('checkbox', { name: 'Select Mara 7 L***' }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await bar(page).getByText('2 new = 2 credits').waitFor()
    await button(page, 'Reveal').focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => button(page, 'Reveal 2 people').evaluate((each) => each.matches(':focus'))).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: '2 people revealed' }).waitFor()
    await expect.poll(() => button(page, 'Done').evaluate((each) => each.matches(':focus'))).toBe(true)
    await page.keyboard.press('Enter')
    await expect.poll(() => bar(page).evaluate((each) => each.matches(':focus'))).toBe(true)
  })
})
