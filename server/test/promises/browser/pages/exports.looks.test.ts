import { readFileSync } from 'node:fs'
import type { Download, Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { readSheet, unzip } from '../../../../../packages/workbook/test/write/read-back.ts'
import { createMember, readSpent, type TestMember } from '../../../support/members.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'
import { importShops } from '../support/shops.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const table = (page: Page) => page.getByRole('table', { name: 'Exports' })

async function press(page: Page, link: Locator): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return download
}

const read = async (download: Download) => readFileSync(await download.path())
const linesOf = (text: string) => text.trim().split('\r\n')

/** Everything that the browser keeps, and the address: no channel may be in it. */
async function readTraces(page: Page): Promise<string> {
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])',
  )
  return `${kept} ${JSON.stringify(await page.context().storageState())}`
}

describeInBrowser('exports', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
    await importShops(app)
  })

  /** Makes an export that has ended look as if another server were writing it. */
  async function setRunning(member: TestMember, rows: number, of: number): Promise<void> {
    await app.db.query(
      `update exports set status = 'running', finished_at = null, stopped_by = null, rows = $2, planned_rows = $3,
              lease_server = 'elsewhere', lease_until = $4
       where account_id = $1`,
      [app.accountNumber(member.account), rows, of, new Date(app.clock.now().getTime() + 1_000)],
    )
  }

  test('of stores tell the cost, have the columns that were chosen, and are listed', async () => {
    const member = await createMember(app)
    const page = await app.open('/exports', { as: member })
    await page.getByText('Nothing was exported yet').waitFor()
    await expectGoodLooks(page, 'exports-empty')
    await page.goto('/stores?countries=DE')
    await button(page, 'Export').click()
    const dialog = page.getByRole('dialog', { name: 'Export stores' })
    const cost = dialog.getByRole('region', { name: 'Cost' })
    await cost.getByText('40 new stores = 40 of your exports').waitFor()
    await cost.getByText('4,960 exports left afterwards').waitFor()
    expect(await dialog.getByRole('radio').allTextContents()).toHaveLength(3)
    await button(page, 'Choose columns').click()
    const columns = dialog.getByRole('group', { name: 'Columns' })
    const boxes = columns.getByRole('list').getByRole('checkbox')
    const names = await boxes.evaluateAll((each) => each.map((box) => box.closest('li')!.dataset.column!))
    await columns.getByRole('button', { name: 'None', exact: true }).click()
    await columns.getByText('Choose at least one.').waitFor()
    for (const name of ['domain', 'name', 'country']) await columns.getByText(name, { exact: true }).click()
    // By keyboard: the button goes with its row, and keeps the focus.
    await columns.getByRole('button', { name: 'Move country up' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await columns.getByText(`3 of ${names.length}`).waitFor()
    await expectGoodLooks(page, 'export-stores')
    expect(await readSpent(app, member.account)).toMatchObject({ store_exports: 0 })
    await dialog.getByRole('textbox', { name: 'Stores at most' }).fill('25')
    await page.keyboard.press('Tab')
    await cost.getByText('25 new stores = 25 of your exports').waitFor()
    await button(page, 'Start export').click()
    const link = dialog.getByRole('link', { name: 'Download' })
    await link.waitFor()
    await expect.poll(() => link.evaluate((each) => each.matches(':focus'))).toBe(true)
    await expectGoodLooks(page, 'export-ready')
    const lines = linesOf(String(await read(await press(page, link))))
    expect(lines[0]).toBe('country,domain,name')
    expect(lines).toHaveLength(26)
    expect(await readSpent(app, member.account)).toMatchObject({ store_exports: 25, search_rows: 25 })
    await button(page, 'Done').click()

    await page.getByRole('navigation').getByRole('link', { name: 'Exports', exact: true }).click()
    const row = table(page).getByRole('row').nth(1)
    await row.getByText('Ready').waitFor()
    await row.getByText('It ended at the number of rows that was chosen.').waitFor()
    await row.getByRole('cell', { name: '25 store exports' }).waitFor()
    expect(linesOf(String(await read(await press(page, row.getByRole('link', { name: 'Download Stores' })))))).toEqual(
      lines,
    )
    await expectGoodLooks(page, 'exports')
    await row.getByRole('link', { name: 'Stores', exact: true }).click()
    await page.getByRole('heading', { name: 'Stores', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/exports\/exp_live_/)
    await page.getByText('25 rows').waitFor()
    await expectGoodLooks(page, 'export')

    // The file goes once that is confirmed; what it cost stays in sight.
    await button(page, 'Delete Stores').click()
    const question = page.getByRole('dialog', { name: 'Delete this file?' })
    await question.getByText('The file with its 25 rows').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'All exports' }).click()
    await page.getByText(/^1 of 50 files is kept, [\d.]+ \w+ of 500 MB\.$/).waitFor()
    await button(page, 'Delete Stores').click()
    await question.getByRole('button', { name: 'Delete' }).click()
    await row.getByText('Expired').waitFor()
    await row.getByRole('cell', { name: '25 store exports' }).waitFor()
    await page.getByText('0 of 50 files are kept').waitFor()
  })

  test('of people cost a credit for each new one, and say when credits run out', async () => {
    const member = await createMember(app)
    await app.setAccount(member.account, { limits: { contact_credits: 12 } })
    const page = await app.open('/people?roles=marketing&countries=DE', { as: member })
    await button(page, 'Export').click()
    const dialog = page.getByRole('dialog', { name: 'Export people' })
    const cost = dialog.getByRole('region', { name: 'Cost' })
    // Unless more is asked for, as many as one step of a reveal.
    await cost.getByText('10 new = 10 credits, 0 already yours').waitFor()
    await cost.getByText('2 credits and 4,990 exports left afterwards').waitFor()
    await dialog.getByRole('textbox', { name: 'People at most' }).fill('')
    await page.keyboard.press('Tab')
    await cost.getByText('28 credits missing').waitFor()
    await dialog.getByRole('radio', { name: 'Excel' }).check()
    // A workbook is compressed already.
    expect(await dialog.getByText('Compress with gzip').count()).toBe(0)
    await expectGoodLooks(page, 'export-people')
    await button(page, 'Start export').click()
    await dialog.getByText('It ended because no contact credits were left.').waitFor()
    await expectGoodLooks(page, 'export-short')
    const download = await press(page, dialog.getByRole('link', { name: 'Download' }))
    expect(download.suggestedFilename()).toMatch(/^storedex-contacts-.*\.xlsx$/)
    const cells = readSheet(unzip(await read(download)).get('xl/worksheets/sheet1.xml')!)
    expect(cells).toHaveLength(13)
    expect(cells[0]!.slice(0, 2).map((cell) => cell!.value)).toEqual(['id', 'full_name'])
    expect(cells.flat().map((cell) => cell?.value)).toContain('mara@shop-1.example')
    expect(await readSpent(app, member.account)).toMatchObject({ contact_credits: 12, store_exports: 12 })
    expect(await readTraces(page)).not.toContain('mara@')
    // What was taken last is offered first.
    await button(page, 'Done').click()
    await button(page, 'Export').click()
    expect(await dialog.getByRole('radio', { name: 'Excel' }).isChecked()).toBe(true)
    await cost.getByText('0 new = 0 credits, 10 already yours').waitFor()
  })

  test('are shown while they run, and Stop stops', async () => {
    const member = await createMember(app)
    const body = { kind: 'stores', filters: {}, max_rows: 50 }
    const { body: job } = await member.ask('/exports', body)
    await expect.poll(async () => (await member.look(`/exports/${job.id}`)).body.status).toBe('ready')
    await setRunning(member, 20, 50)
    const page = await app.open('/exports', { as: member })
    await table(page).getByText('20 of 50').waitFor()
    await setRunning(member, 30, 50)
    await table(page).getByText('30 of 50').waitFor()
    // The second one waits for the first.
    await member.ask('/exports', body)
    await table(page).getByText('Queued').waitFor()
    await expectGoodLooks(page, 'exports-running')
    await table(page).getByRole('button', { name: 'Cancel' }).click()
    await table(page).getByText('Canceled').waitFor()
    await table(page).getByRole('link', { name: 'Stores', exact: true }).last().click()
    await page.getByRole('progressbar', { name: 'Exporting' }).waitFor()
    expect(await page.getByRole('progressbar').getAttribute('aria-valuetext')).toBe('30 of 50')
    await expectGoodLooks(page, 'export-running')
    await button(page, 'Stop').click()
    await page.getByText('It was stopped. The file holds what was paid until then.').waitFor()
    await page.getByRole('link', { name: 'Download' }).waitFor()
  })

  test('are open to a viewer, but their files are not', async () => {
    const member = await createMember(app)
    const { body: job } = await member.ask('/exports', { kind: 'stores', filters: {}, max_rows: 5 })
    await expect.poll(async () => (await member.look(`/exports/${job.id}`)).body.status).toBe('ready')
    const viewer = await createMember(app, { account: member.account, role: 'viewer' })
    const page = await app.open('/exports', { as: viewer, tolerates: (status) => status === 404 })
    await table(page).getByText('Ready').waitFor()
    expect(await page.getByRole('link', { name: /^Download/ }).count()).toBe(0)
    await page.goto('/exports/exp_live_AAAAAAAAAAAAAAAA')
    await page.getByRole('heading', { name: 'No such export', level: 1 }).waitFor()
    await page.goto('/people')
    await page.getByRole('table', { name: 'People' }).waitFor()
    const reason = await button(page, 'Export').getAttribute('aria-describedby')
    expect(await page.locator(`[id="${reason}"]`).textContent()).toContain('A viewer cannot export.')
    await button(page, 'Export').focus()
    await page.keyboard.press('Enter')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})
