import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { createClient } from '../../../support/client.ts'
import { setPassword } from '../../../support/members.ts'
import type { TestUser } from '../../../support/user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'

/** The names of the tools that an assistant's program finds. */
async function listTools(url: string, headers: Record<string, string>): Promise<string[]> {
  const client = new Client({ name: 'storedex-test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name)
}

const password = 'seven geese over a quiet lake'

describeInBrowser('the page of keys', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
  })

  const open = (as: TestUser, tolerates?: (status: number, path: string) => boolean) =>
    app.open('/keys', { as, ...(tolerates && { tolerates }) })
  const statusOf = async (secret: string) => (await createClient(app.url, secret).get('/usage')).status
  const dialog = (page: Page) => page.getByRole('dialog')
  const figureField = (page: Page, name: string) => dialog(page).getByRole('textbox', { name })

  async function createKey(page: Page, name: string): Promise<string> {
    await page.getByRole('button', { name: 'Create key' }).click()
    await dialog(page).getByLabel('Name').fill(name)
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    const secret = await page.getByLabel('Secret key').inputValue()
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    return secret
  }

  test('a key is created, used, revoked, brought back and revoked', async () => {
    const page = await open(await app.person())
    await page.getByText('There are no keys yet').waitFor()
    await expectGoodLooks(page, 'keys-empty')

    await page.getByRole('button', { name: 'Create key' }).click()
    await dialog(page).getByLabel('Name').fill('CRM sync')
    await dialog(page)
      .getByRole('checkbox', { name: /^Reveal people/ })
      .press('Space')
    await expectGoodLooks(page, 'keys-create')
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    const secret = await page.getByLabel('Secret key').inputValue()
    await expectGoodLooks(page, 'keys-secret')

    // The command works when it is pasted, and the secret is nowhere but on this page.
    const tab = (name: string) => dialog(page).getByRole('tab', { name, exact: true })
    const command = (await dialog(page).getByRole('region', { name: 'command' }).textContent())!
    const [, url, header] = /^curl (\S+) \\\n\s+-H "Authorization: (.+)"$/.exec(command)!
    expect(header).toBe(`Bearer ${secret}`)
    const reply = await fetch(url!, { headers: { authorization: header! } })
    expect(await reply.json()).toMatchObject({ object: 'usage', key: { name: 'CRM sync' } })
    await tab('TypeScript').click()
    const program = (await dialog(page).getByRole('region', { name: 'program' }).textContent())!
    expect(program).toContain(`baseUrl: '${app.url}'`)
    expect(program).not.toContain(secret)
    await tab('MCP').click()
    await expectGoodLooks(page, 'keys-mcp')
    const configuration = await dialog(page)
      .getByRole('region', { name: 'configuration with an address' })
      .textContent()
    const { url: endpoint, headers } = JSON.parse(configuration!).mcpServers.storedex
    expect(await listTools(endpoint, headers)).toContain('search_stores')
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(secret)
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain('sdx_')

    const row = page.getByRole('row', { name: /CRM sync/ })
    await row.getByRole('cell', { name: 'usage, stores, people, billing', exact: true }).waitFor()
    await expectGoodLooks(page, 'keys-list')
    await row.getByRole('button', { name: 'Revoke' }).click()
    await expectGoodLooks(page, 'keys-revoke')
    await dialog(page).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await row.waitFor({ state: 'detached' })
    expect(await statusOf(secret)).toBe(401)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByText('Active').waitFor()
    expect(await statusOf(secret)).toBe(200)

    await row.getByRole('button', { name: 'Revoke' }).click()
    await dialog(page).getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'detached' })
    expect(await statusOf(secret)).toBe(401)
    await page.getByText('Ended').click()
    await page
      .getByRole('row', { name: /CRM sync/ })
      .getByText('Revoked')
      .waitFor()
    expect(new URL(page.url()).search).toBe('?show=ended')
  })

  test('a key is rotated with time to replace it, suspended and resumed', async () => {
    const page = await open(await app.person())
    const old = await createKey(page, 'Warehouse')
    await page.getByRole('button', { name: 'Rotate' }).click()
    await dialog(page).getByText('For an hour').click()
    await expectGoodLooks(page, 'keys-rotate')
    await dialog(page).getByRole('button', { name: 'Rotate' }).click()
    const secret = await page.getByLabel('Secret key').inputValue()
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    expect([await statusOf(old), await statusOf(secret)]).toEqual([200, 200])
    app.clock.advance(3_600_000)
    expect([await statusOf(old), await statusOf(secret)]).toEqual([401, 200])
    app.clock.advance(-3_600_000)

    const both = page.getByRole('row', { name: /Warehouse/ })
    await both.nth(1).waitFor()
    const row = both.first()
    await row.getByRole('button', { name: 'Suspend' }).click()
    await row.getByText('Suspended').waitFor()
    expect(await statusOf(secret)).toBe(401)
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByText('Active').waitFor()
    expect(await statusOf(secret)).toBe(200)
  })

  test('a key with a budget is refused at it, until the budget is raised or removed', async () => {
    const page = await open(await app.person())
    await page.getByRole('button', { name: 'Create key' }).click()
    await dialog(page).getByLabel('Name').fill('Assistant')
    await figureField(page, 'Search rows').fill('2.5')
    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    await dialog(page).getByText('Enter a whole number.').waitFor()
    await expectGoodLooks(page, 'keys-budget-invalid')
    await figureField(page, 'Search rows').fill('2')
    // As long as a person's: the button stays under the pointer, although the error above it goes.
    await dialog(page).getByRole('button', { name: 'Create key' }).click({ delay: 200 })
    const secret = await page.getByLabel('Secret key').inputValue()
    await dialog(page).getByRole('button', { name: 'Done' }).click()

    await app.importStores([{ domain: 'aurora-candles.example', name: 'Aurora Candles' }])
    const client = createClient(app.url, secret)
    const search = () => client.post('/stores/search', { filters: {}, limit: 1 })
    expect([(await search()).status, (await search()).status]).toEqual([200, 200])
    const { status, body } = await search()
    expect([status, body.error.param]).toEqual([429, 'key_budget.search_rows'])

    await page.reload()
    const row = page.getByRole('row', { name: /Assistant/ })
    await row.getByText('2 of 2 rows').waitFor()
    await setBudget(page, { 'Search rows': '3', 'Contact credits': '10' })
    await row.getByText('2 of 3 rows').waitFor()
    await row.getByText('0 of 10 credits').waitFor()
    await expectGoodLooks(page, 'keys-budget-list')
    expect([(await search()).status, (await search()).status]).toEqual([200, 429])

    // Less than what is used is allowed, and says what it means.
    await page.reload()
    await row.getByText('3 of 3 rows').waitFor()
    await row.getByRole('button', { name: 'Budget' }).click()
    await figureField(page, 'Search rows').fill('1')
    await page.keyboard.press('Tab')
    await dialog(page).getByText('3 used so far: nothing more can be spent this period.').waitFor()
    await expectGoodLooks(page, 'keys-budget-change')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await row.getByText('3 of 1 rows').waitFor()
    expect((await search()).status).toBe(429)

    await setBudget(page, { 'Search rows': '', 'Contact credits': '' })
    await page.getByRole('columnheader', { name: 'Budget' }).waitFor({ state: 'detached' })
    expect((await search()).status).toBe(200)
  })

  test('scopes of a key are taken away and added, with a warning where none for billing is left', async () => {
    const owner = await app.person()
    const page = await open(owner)
    const secret = await createKey(page, 'CRM sync')
    const scope = (name: RegExp) => dialog(page).getByRole('checkbox', { name })
    const openDialog = () => page.getByRole('button', { name: 'Scopes', exact: true }).click()
    const save = async () => {
      await dialog(page).getByRole('button', { name: 'Save' }).click()
      await dialog(page).waitFor({ state: 'detached' })
    }
    expect(await statusOf(secret)).toBe(200)
    await openDialog()
    expect(await scope(/^Read billing/).isChecked()).toBe(true)
    await scope(/^Read usage/).press('Space')
    await scope(/^Read billing/).press('Space')
    await dialog(page).getByText('Without a scope for billing this key can do nothing once the plan lapses').waitFor()
    await expectGoodLooks(page, 'keys-scopes')
    await save()
    expect(await statusOf(secret)).toBe(403)

    await app.setAccount(owner.account, { status: 'past_due' })
    await page.reload()
    await openDialog()
    expect(await scope(/^Read usage/).isDisabled()).toBe(true)
    expect(await scope(/^Search people/).isDisabled()).toBe(false)
    await scope(/^Search people/).press('Space')
    await save()
    await page
      .getByRole('row', { name: /CRM sync/ })
      .getByText('stores, reveal')
      .waitFor()
  })

  async function setBudget(page: Page, figures: Record<string, string>): Promise<void> {
    await page.getByRole('button', { name: 'Budget', exact: true }).click()
    for (const [label, figure] of Object.entries(figures)) await figureField(page, label).fill(figure)
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).waitFor({ state: 'detached' })
  }

  test('an old sign-in is asked for the password, and nothing that was typed is lost', async () => {
    const user = await app.person({ name: 'Mara Owner' })
    await setPassword(app, user, password)
    app.clock.advance(11 * 60_000)
    const page = await open(user, (status, path) => status === 403 && path.endsWith('/keys'))
    await page.getByRole('button', { name: 'Create key' }).click()
    await dialog(page).getByLabel('Name').fill('Typed before')
    await dialog(page).getByRole('radio', { name: /^Live/ }).press('ArrowDown')
    await dialog(page).getByRole('button', { name: 'Create key' }).click()

    const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await question.waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await dialog(page).getByText('Confirm that it is you: this needs a sign-in').waitFor()
    expect(await dialog(page).getByLabel('Name').inputValue()).toBe('Typed before')

    await dialog(page).getByRole('button', { name: 'Create key' }).click()
    await question.getByLabel('Password').fill(password)
    await expectGoodLooks(page, 'keys-sign-in-again')
    await question.getByRole('button', { name: 'Confirm' }).click()
    const secret = await page.getByLabel('Secret key').inputValue()
    expect(secret).toMatch(/^sdx_test_/)
    app.clock.advance(-11 * 60_000)
    expect((await createClient(app.url, secret).get('/usage')).body.key.name).toBe('Typed before')
  })

  test('without access the button says why, and leads to Billing', async () => {
    const page = await open(await app.person({ plan: 'free' }))
    const button = page.getByRole('button', { name: 'Create key' })
    await button.focus()
    await page.getByRole('tooltip').getByText('The plan has no API access.').waitFor()
    await page.keyboard.press('Enter')
    expect(await dialog(page).count()).toBe(0)
    await expectGoodLooks(page, 'keys-without-access')
    await page.getByRole('link', { name: 'Go to Billing' }).click()
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor()
  })

  test('a viewer sees the keys and cannot change them', async () => {
    const owner = await app.person()
    const { id } = await app.keyOf(owner.account, {})
    const path = `/accounts/${owner.account}/keys/${id}/budget`
    expect((await owner.post(path, { budget: { contact_credits: 50 } })).status).toBe(200)
    const viewer = await app.person({ account: owner.account, role: 'viewer' })
    const refused = await viewer.post(path, { budget: { contact_credits: 100 } })
    expect([refused.status, refused.body.error.code]).toEqual([403, 'insufficient_role'])
    const page = await open(viewer)
    await page.getByRole('row', { name: /test key/ }).waitFor()
    await page.getByText('0 of 50 credits').waitFor()
    for (const name of ['Budget', 'Scopes', 'Rotate', 'Suspend', 'Revoke'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Create key' }).focus()
    await page.getByRole('tooltip').getByText('Only admins and owners').waitFor()
    // An open tooltip stands outside of all landmarks.
    await page.keyboard.press('Escape')
    await page.getByRole('tooltip').waitFor({ state: 'detached' })
    await expectGoodLooks(page, 'keys-viewer')
  })

  test('a list that cannot be loaded says so with the id of the request, and can be tried again', async () => {
    const page = await app.open('about:blank', {
      as: await app.person(),
      tolerates: (status, path) => status === 500 && path.endsWith('/keys'),
    })
    const requestId = 'req_aaaaaaaaaaaaaaaaaaaaaaaa'
    const error = {
      type: 'server_error',
      code: 'internal_error',
      message: 'Something went wrong.',
      request_id: requestId,
    }
    await page.route('**/keys?*', (route) => route.fulfill({ status: 500, json: { error } }))
    await page.goto('/keys')
    await page.getByText(requestId).waitFor()
    await expectGoodLooks(page, 'keys-error')
    await page.unroute('**/keys?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('There are no keys yet').waitFor()
  })
})
