import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  countStores,
  holdCatalogue,
  storesCsv,
  waitForBlockedImport,
} from '../../../catalogue/import-jobs/support/imports.ts'
import { atEnd, removeFolder } from '../../../support/cleanup.ts'
import type { TestUser } from '../../../support/user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'

const messy = [
  'Domain;Shop name;Country;Lead fit score;Our notes',
  'https://www.aurora-candles.example/shop;Aurora Candles;Germany;64,5;call again',
  'birke-soehne.example;Birke & Söhne;AT;70,1;',
  'no domain at all;Nobody;DE;1;',
  'little-rugs.example;Little Rugs;Atlantis;12;',
].join('\r\n')

describeInBrowser('imports of operators', () => {
  let app: BrowserApp
  let operator: TestUser
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'storedex-browser-imports-'))
    atEnd(() => removeFolder(dataDir))
    app = await startBrowserApp({ environment: { DATA_DIR: dataDir } })
    operator = await app.person({ operator: true, account: null, name: 'Olga Operator' })
  })

  const choose = async (page: Page, name: string, text: string | Buffer) => {
    const buffer = Buffer.isBuffer(text) ? text : Buffer.from(text)
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  /** The row of a column, by its exact heading: the names of all fields stand in every row, as choices. */
  const columnRow = (page: Page, heading: string) =>
    page
      .getByRole('table', { name: 'Columns', exact: true })
      .getByRole('row')
      .filter({ has: page.getByText(heading, { exact: true }) })

  test('a messy file is uploaded, mapped, checked and imported; what was rejected is downloaded', async () => {
    const page = await app.open('/operator/accounts', { as: operator })
    await page.getByRole('link', { name: 'Imports' }).click()
    await page.getByText('Nothing was imported here yet').waitFor()
    await expectGoodLooks(page, 'operator-imports-empty')
    // Windows-1252, as a spreadsheet saves it.
    await choose(page, 'agency list.csv', Buffer.from(messy, 'latin1'))

    await page.getByRole('heading', { name: 'agency list.csv', level: 1 }).waitFor()
    await columnRow(page, 'Shop name').getByText('Guessed').waitFor()
    await columnRow(page, 'Our notes').getByText('Not recognised').waitFor()
    await expectGoodLooks(page, 'operator-import-unknown-column')
    await columnRow(page, 'Our notes').getByRole('button').click()
    await page.getByRole('option', { name: 'Ignore' }).click()
    await columnRow(page, 'Our notes').getByText('Ignored').waitFor()
    const firstRows = page.getByRole('table', { name: 'First rows', exact: true })
    await firstRows.getByText('Birke & Söhne').waitFor()
    await firstRows.getByText(/country: /).waitFor()
    await expectGoodLooks(page, 'operator-import-ready')

    await button(page, 'Check the file').click()
    await page.getByRole('heading', { name: 'What the check found' }).waitFor()
    await page.getByText('Nothing was changed').waitFor()
    expect(await countStores(app)).toBe(0)
    await expectGoodLooks(page, 'operator-import-checked')

    await button(page, 'Import').click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    expect(await countStores(app)).toBe(2)
    await page.getByText('1 rejected record would be taken').waitFor()
    await expectGoodLooks(page, 'operator-import-done')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download rejects' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('agency list.csv.rejects.csv')
    expect(readFileSync(await download.path(), 'utf8')).toContain('Atlantis')

    await button(page, 'Import again without bad values').click()
    await expect.poll(() => countStores(app)).toBe(3)
    await page.getByRole('heading', { name: 'Result' }).waitFor()

    await button(page, 'Remove files').click()
    const question = page.getByRole('dialog', { name: 'Remove the files of this import?' })
    await expectGoodLooks(page, 'operator-import-remove')
    await question.getByRole('button', { name: 'Remove files' }).click()
    await expect.poll(() => page.getByRole('link', { name: 'Download rejects' }).count()).toBe(0)
    await page.getByRole('link', { name: 'All imports' }).click()
    const history = page.getByRole('table', { name: 'Imports', exact: true })
    await history.getByRole('row').filter({ hasText: 'agency list.csv' }).getByText('Done').waitFor()
    await expectGoodLooks(page, 'operator-imports')
  })

  test('a heading in another line is taken, rows are filled, and a file without a heading is mapped by position', async () => {
    const page = await app.open('/operator/imports', { as: operator })
    await choose(page, 'export.txt', 'Shops of 2026\nDomain\tName\tCountry\nwide-shop.example\tWide\n')
    await page.getByRole('listitem').filter({ hasText: 'Line 2 looks like it' }).waitFor()
    await expectGoodLooks(page, 'operator-import-heading')
    await button(page, 'Take line 2 as the heading').click()
    // Exact: before, the one column is "Not recognised".
    await columnRow(page, 'Country').getByText('Recognised', { exact: true }).waitFor()
    const firstRows = page.getByRole('table', { name: 'First rows', exact: true })
    await firstRows.getByText('the wrong number of cells').first().waitFor()
    await page.getByRole('button', { name: /Rows with too few cells/ }).click()
    await page.getByRole('option', { name: 'Fill with empty cells' }).click()
    await firstRows.getByText('none').waitFor()
    await expectGoodLooks(page, 'operator-import-rows')

    await page.getByRole('link', { name: 'All imports' }).click()
    await choose(page, 'bare.tsv', 'bare-shop.example\tBare\nother-shop.example\tOther\n')
    await button(page, 'Read it without a heading').click()
    const second = columnRow(page, 'Column 2, without a heading')
    await second.getByRole('button').click()
    await page.getByRole('option', { name: /^name/ }).click()
    await second.getByText('Chosen').waitFor()
    await expectGoodLooks(page, 'operator-import-bare')
    const before = await countStores(app)
    await button(page, 'Import').click()
    await expect.poll(() => countStores(app)).toBe(before + 2)
  })

  test('an upload that ends with its page continues with the same file where it was', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'storedex-upload-')), 'large.csv')
    onTestFinished(() => rmSync(file, { force: true }))
    writeFileSync(file, `domain,name\n${'large-shop.example,Large shop\n'.repeat(100_000)}`)
    const page = await app.open('/operator/imports', { as: operator, tolerates: (status) => status === 413 })
    let parts = 0
    await page.route('**/file', async (route) => {
      parts++
      // The second part never gets there; the fourth is too large for a proxy.
      if (parts === 4) await route.fulfill({ status: 413, contentType: 'text/html', body: '<html>' })
      else if (parts !== 2) await route.continue()
    })
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByRole('heading', { name: 'large.csv', level: 1 }).waitFor()
    await expect.poll(() => parts).toBe(2)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('The upload was interrupted').waitFor()
    await page.getByText('1 MB of 3 MB').waitFor()
    await expectGoodLooks(page, 'operator-import-interrupted-upload')
    await choose(page, 'large.csv', 'another file of the same name')
    await page.getByText('This is not the same file').waitFor()
    const offsets: string[] = []
    page.on('request', (request) => {
      const offset = request.headers()['upload-offset']
      if (offset) offsets.push(offset)
    })
    await page.locator('input[type=file]').setInputFiles(file)
    await button(page, 'Check the file').waitFor()
    expect(offsets).toEqual(['1048576', '2097152', '2097152'])
  })

  test('an import that takes long shows how far it is, goes on without its page, and is stopped', async () => {
    const release = await holdCatalogue(app)
    const page = await app.open('/operator/imports', { as: operator })
    await choose(page, 'many.csv', storesCsv(6_000))
    // Until the first rows are read, the button says why it waits.
    await page.getByRole('table', { name: 'First rows', exact: true }).waitFor()
    await button(page, 'Import').press('Enter')
    const progress = page.getByRole('region', { name: 'Progress' })
    await progress.getByRole('progressbar', { name: 'Importing' }).waitFor()
    await waitForBlockedImport(app)
    // The button is gone, and the focus has not gone with it: Stop is the next stop.
    await page.keyboard.press('Tab')
    expect(await progress.getByRole('button', { name: 'Stop' }).evaluate((stop) => stop.matches(':focus'))).toBe(true)
    await expectGoodLooks(page, 'operator-import-running')
    await page.getByRole('link', { name: 'All imports' }).click()
    const row = page
      .getByRole('table', { name: 'Imports', exact: true })
      .getByRole('row')
      .filter({ hasText: 'many.csv' })
    await row.getByText('Importing').waitFor()
    await row.getByRole('link').click()
    await progress.getByRole('button', { name: 'Stop' }).press('Enter')
    await progress.getByText('Ends after the records').waitFor()
    await release()
    await page.getByText('What was imported before stays').waitFor()
    await expectGoodLooks(page, 'operator-import-stopped')
    expect(await countStores(app)).toBeLessThan(6_000)
    await button(page, 'Run again').click()
    await expect.poll(() => countStores(app), { timeout: 30_000 }).toBeGreaterThanOrEqual(6_000)
    await page.getByRole('heading', { name: 'Result' }).waitFor()
  })

  test('an import that does not exist says so', async () => {
    const page = await app.open('/operator/imports/999', { as: operator, tolerates: (status) => status === 404 })
    await page.getByRole('heading', { name: 'No such import', level: 1 }).waitFor()
    await expectGoodLooks(page, 'operator-import-unknown')
  })
})
