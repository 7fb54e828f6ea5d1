import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bookCell, buildBook, buildSheet, hostileFiles } from '@storedex/testkit/workbooks'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { countStores } from '../../../catalogue/import-jobs/support/imports.ts'
import { mendBook, shopsBook } from '../../../catalogue/import-jobs/support/shops-book.ts'
import { atEnd, removeFolder } from '../../../support/cleanup.ts'
import type { TestUser } from '../../../support/user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'

const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

describeInBrowser('workbooks that operators import', () => {
  let app: BrowserApp
  let operator: TestUser
  beforeAll(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'storedex-browser-workbooks-'))
    atEnd(() => removeFolder(dataDir))
    app = await startBrowserApp({ environment: { DATA_DIR: dataDir } })
    operator = await app.person({ operator: true, account: null, name: 'Olga Operator' })
  })

  const uploadBook = async (page: Page, name: string, buffer: Buffer) => {
    await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer })
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const sheetNamed = (page: Page, name: RegExp) =>
    page.getByRole('radiogroup', { name: 'Sheet', exact: true }).getByRole('radio', { name })
  const firstRows = (page: Page) => page.getByRole('table', { name: 'First rows', exact: true })
  const ignoreColumn = async (page: Page, heading: string) => {
    await page.getByRole('button', { name: new RegExp(`Field of ${heading}`) }).click()
    await page.getByRole('option', { name: 'Ignore' }).click()
  }

  test('a workbook with several sheets is asked about, read as a person sees it, imported, mended and imported again', async () => {
    const page = await app.open('/operator/imports', { as: operator })
    await uploadBook(page, 'shops.xlsx', shopsBook())
    await page
      .getByRole('paragraph')
      .filter({ hasText: 'Several sheets have rows. Choose the one to import.' })
      .waitFor()
    await sheetNamed(page, /^Archive Hidden 2 rows/).waitFor()
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0)
    expect(await sheetNamed(page, /^Empty/).isDisabled()).toBe(true)
    expect(await page.getByText(/--[a-z]/).count()).toBe(0)
    await expectGoodLooks(page, 'operator-import-sheets')

    await sheetNamed(page, /^Leads 2026/).check({ force: true })
    await firstRows(page).getByText('ash-toys.example').waitFor()
    await sheetNamed(page, /^Shops/).check({ force: true })
    await ignoreColumn(page, 'Shop no')
    for (const cell of ['00042', '71.5', '1204', '2019-03-31'])
      await firstRows(page).getByText(cell, { exact: true }).waitFor()
    await firstRows(page)
      .getByText(/country: /)
      .waitFor()
    await page.getByText('its column is hidden in the workbook, and is read').waitFor()
    for (const label of ['Encoding', 'Columns are separated by', 'Rows with too few cells'])
      expect(await page.getByText(label, { exact: true }).count(), label).toBe(0)
    expect(await page.getByText(/--[a-z]/).count()).toBe(0)
    await expectGoodLooks(page, 'operator-import-sheet-read')

    // The choice for a column of one sheet is none for another.
    await sheetNamed(page, /^Leads 2026/).check({ force: true })
    await firstRows(page).getByText('ash-toys.example').waitFor()
    expect(
      await page
        .getByRole('listitem')
        .filter({ hasText: /column/i })
        .count(),
    ).toBe(0)
    await sheetNamed(page, /^Shops/).check({ force: true })
    await ignoreColumn(page, 'Shop no')
    await firstRows(page).getByText('00042', { exact: true }).waitFor()

    await button(page, 'Check the file').click()
    await page.getByRole('heading', { name: 'What the check found' }).waitFor()
    await page.getByText('its row is hidden or filtered out in the workbook, and is read').waitFor()
    await expectGoodLooks(page, 'operator-import-sheet-checked')
    await button(page, 'Import').click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    expect(await countStores(app)).toBe(2)
    await page.getByText('Sheet “Shops”', { exact: true }).waitFor()
    await expectGoodLooks(page, 'operator-import-sheet-done')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download rejects (.xlsx)' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('shops.xlsx.rejects.xlsx')
    const mended = mendBook(readFileSync(await download.path()), 'Atlantis', 'France')

    await page.getByRole('link', { name: 'All imports' }).click()
    await uploadBook(page, 'shops.xlsx.rejects.xlsx', mended)
    await ignoreColumn(page, 'Shop no')
    await firstRows(page).getByText('none').waitFor()
    expect(await page.getByRole('radiogroup', { name: 'Sheet', exact: true }).count()).toBe(0)
    await button(page, 'Import').click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    expect(await countStores(app)).toBe(3)
  })

  test('a workbook of many sheets has a list of them; of long ones it says how many rows there are at least', async () => {
    const rows = Array.from({ length: 10_001 }, (_, index) => [index === 0 ? 'Domain' : `shop-${index}.example`])
    const months = Array.from({ length: 12 }, (_, index) => ({
      ...{ name: `Month ${index + 1}`, rows: [['Domain'], [`month-${index + 1}.example`]] },
    }))
    const page = await app.open('/operator/imports', { as: operator })
    await uploadBook(page, 'year.xlsx', buildBook({ sheets: [{ name: 'All', rows }, ...months] }))
    await page.getByRole('button', { name: /Choose a sheet/ }).click()
    await page.getByRole('option', { name: /^All/ }).getByText('10,000 rows or more').waitFor()
    await expectGoodLooks(page, 'operator-import-many-sheets')
    await page.getByRole('option', { name: 'Month 12' }).click()
    await firstRows(page).getByText('month-12.example').waitFor()
  })

  test('a heading in another line of a sheet is taken, and a line that is none can be corrected', async () => {
    const page = await app.open('/operator/imports', { as: operator, tolerates: (status) => status === 400 })
    const date = bookCell.date('2020-02-29')
    await uploadBook(
      page,
      'titled.xlsm',
      buildSheet([['Shops of 2026'], [], ['Domain', 'Created'], ['oak.example', date]], { hasMacros: true }),
    )
    await page.getByRole('listitem').filter({ hasText: 'Line 3 looks like it' }).waitFor()
    await button(page, 'Take line 3 as the heading').click()
    await firstRows(page).getByText('2020-02-29', { exact: true }).waitFor()
    const line = page.getByRole('textbox', { name: 'Line of the heading' })
    await line.fill('9')
    await line.press('Tab')
    await page.getByRole('alert').filter({ hasText: 'titled.xlsm: there is no line 9 for a header.' }).waitFor()
    await line.fill('3')
    await line.press('Tab')
    await firstRows(page).getByText('2020-02-29', { exact: true }).waitFor()
  })

  test('an old workbook says what it is, and how to save it', async () => {
    const page = await app.open('/operator/imports', { as: operator, tolerates: (status) => status === 400 })
    await uploadBook(page, 'shops.xls', hostileFiles.otherFormats['an old .xls']())
    await page
      .getByRole('alert')
      .getByText(/old Excel workbook \(\.xls\)\. Open it, save it as \.xlsx/)
      .waitFor()
    await expectGoodLooks(page, 'operator-import-old-workbook')
  })
})
