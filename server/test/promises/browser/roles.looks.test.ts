import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { givePassword, goodPassword } from '../../customers/users/support/users.ts'
import { aurora } from '../../support/fixtures.ts'
import type { TestUser } from '../../support/user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { expectGoodLooks, screenshot } from './support/looks.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })

/** Cannot be pressed, and says why, to the eye and to a screen reader. */
async function expectDisabled(page: Page, control: Locator, reason: string): Promise<void> {
  expect(await control.getAttribute('aria-disabled')).toBe('true')
  const descriptionId = await control.getAttribute('aria-describedby')
  const descriptions = (descriptionId ?? '').split(' ').map((id) => page.locator(`[id="${id}"]`).textContent())
  expect((await Promise.all(descriptions)).join(' ')).toContain(reason)
  await page.keyboard.press('Tab')
  await control.focus()
  await page.getByRole('tooltip').getByText(reason).waitFor()
  await page.keyboard.press('Enter')
  expect(await page.getByRole('dialog').count()).toBe(0)
}

describeInBrowser('what somebody may not do', () => {
  let app: BrowserApp
  let owner: TestUser
  beforeAll(async () => {
    app = await startBrowserApp()
    await app.importStores([aurora])
    await app.importContacts(
      ['Mara', 'Jonas'].map((first_name) => ({
        store_domain: aurora.domain,
        external_id: first_name,
        first_name,
        last_name: 'Test',
        role: 'marketing',
        seniority: 'executive',
        emails: [{ email: `${first_name}@people.example`, status: 'verified' }],
      })),
    )
    owner = await app.person()
  })

  const spent = async (meter: string) => {
    const { rows } = await app.db.query(
      'select coalesce(sum(amount), 0)::integer as amount from ledger where account_id = $1 and meter = $2',
      [app.accountNumber(owner.account), meter],
    )
    return rows[0].amount
  }
  const previews = async (user: TestUser) =>
    (await user.post(`/accounts/${owner.account}/contacts/search`, { max_contacts_per_store: 10 })).body.data

  test('a viewer sees people, and Reveal with the reason why not', async () => {
    const viewer = await app.person({ account: owner.account, role: 'viewer' })
    const page = await app.open('/people', { as: viewer })
    await page.getByRole('checkbox', { name: /^Select Mara/ }).check()
    await page.getByText('1 new = 1 credit').waitFor()
    await expectDisabled(page, button(page, 'Reveal'), 'A viewer cannot spend credits.')
    await screenshot(page, 'roles-viewer')
    const [{ id }] = await previews(viewer)
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const refused = await viewer.post(`/accounts/${owner.account}/contacts/reveal`, { contact_ids: [id] }, headers)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_role'])
    expect(await spent('contact_credits')).toBe(0)
    await page.goto('/revealed')
    await page.getByText('Viewers do not see channels').waitFor()
    await expectGoodLooks(page, 'roles-viewer-revealed')
  })

  test('a member sees the keys, and Create key with the reason why not', async () => {
    const member = await app.person({ account: owner.account, role: 'member' })
    await app.keyOf(owner.account, {})
    const page = await app.open('/keys', { as: member })
    await page.getByRole('table', { name: 'Keys' }).getByText('test key').waitFor()
    await expectDisabled(
      page,
      button(page, 'Create key'),
      'Only admins and owners of the account create and change keys.',
    )
    for (const name of ['Rotate', 'Revoke']) expect(await button(page, name).count()).toBe(0)
    const body = { name: 'Mine', mode: 'live', scopes: ['stores:read'] }
    const refused = await member.post(`/accounts/${owner.account}/keys`, body)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_role'])
  })

  test('an operator who sees as an account is told so on every page, and spends nothing', async () => {
    const operator = await app.person({ account: null, operator: true })
    expect((await operator.post('/operator/see-as', { account: owner.account })).status).toBe(200)
    const before = await spent('search_rows')
    const isRefusal = (status: number) => status === 403
    const page = await app.open('/stores', { as: operator, tolerates: isRefusal })
    const banner = page.getByRole('region', { name: 'See as' })
    for (const name of ['Stores', 'People', 'Revealed', 'Usage', 'Keys', 'Billing', 'Account']) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await page.waitForURL((url) => url.pathname.startsWith(`/${name.toLowerCase()}`))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await banner.getByText('You see the console as Test account does.').waitFor()
    }
    await page.goto('/people')
    await page.getByText('nothing can be changed or spent').waitFor()
    await page.getByText('takes search rows of the account').waitFor()
    await expectGoodLooks(page, 'roles-see-as')
    await page.goto('/billing')
    await button(page, 'Change plan').waitFor()
    expect(await button(page, 'Change plan').getAttribute('aria-disabled')).toBe('true')
    expect(await spent('search_rows')).toBe(before)
    await banner.getByRole('button', { name: 'Stop' }).click()
    await page.waitForURL('**/operator/accounts')
    await banner.waitFor({ state: 'detached' })
  })

  test('a session that was ended elsewhere leads to the sign-in and back to the same place', async () => {
    const member = await app.person({ account: owner.account, role: 'member' })
    await givePassword(app, member.email)
    const again = await app.person({ email: member.email, account: null })
    const page = await app.open('/people?roles=marketing', { as: again, tolerates: (status) => status === 401 })
    await page.getByRole('checkbox', { name: /^Select Mara/ }).waitFor()
    await app.db.query('delete from sessions where person_id = $1', [app.deps.ids.open(member.id)!.value])
    // The page may be gone before the box is seen to be ticked.
    await page.getByRole('checkbox', { name: 'Executive', exact: true }).first().click()
    await heading(page, 'Sign in').waitFor()
    expect(await page.getByText('Mara').count()).toBe(0)
    const expected = '/people?roles=marketing&seniority=executive'
    expect(new URL(page.url()).searchParams.get('next')).toBe(expected)
    await page.getByLabel('Email').fill(member.email)
    await page.getByLabel('Password').fill('not the password')
    await button(page, 'Sign in').click()
    await page.getByRole('alert').waitFor()
    await screenshot(page, 'roles-wrong-password')
    await page.getByLabel('Password').fill(goodPassword)
    await button(page, 'Sign in').click()
    await page.getByRole('checkbox', { name: /^Select Mara/ }).waitFor()
    expect(page.url()).toBe(app.url + expected)
  })

  test('after signing out, the way back shows nothing private', async () => {
    const member = await app.person({ account: owner.account, role: 'member' })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const ids = (await previews(member)).map(({ id }: { id: string }) => id)
    const reply = await member.post(`/accounts/${owner.account}/contacts/reveal`, { contact_ids: ids }, headers)
    expect(reply.status).toBe(200)
    const page = await app.open('/people', { as: member, tolerates: (status) => status === 401 })
    await page.getByRole('navigation').getByRole('link', { name: 'Revealed', exact: true }).click()
    await page.getByRole('link', { name: 'mara@people.example' }).waitFor()
    const isPrivate = () => page.getByText(/@people\.example|Mara/).count()
    await button(page, 'Account menu').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, 'Sign in').waitFor()
    expect(await isPrivate()).toBe(0)
    for (let step = 0; step < 2; step++) {
      await page.goBack()
      await heading(page, 'Sign in').waitFor()
      expect(await isPrivate()).toBe(0)
    }
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    expect(String(kept)).not.toMatch(/people\.example|storedex_session/)
    expect((await member.get('/session')).status).toBe(401)
  })
})
