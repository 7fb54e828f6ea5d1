import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { type BrowserApp, describeInBrowser, startBrowserApp } from '../support/browser-app.ts'
import { expectGoodLooks } from '../support/looks.ts'

describeInBrowser('the pages of lists', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
    await app.importStores([
      { domain: 'first-listed.example', name: 'First Listed', country: 'DE', lead_fit_score: 9 },
      { domain: 'second-listed.example', name: 'Second Listed', country: 'DE', lead_fit_score: 8 },
    ])
    await app.importContacts([
      {
        store_domain: 'first-listed.example',
        first_name: 'Lia',
        last_name: 'Listed',
        emails: [{ email: 'lia@first-listed.example', status: 'verified', type: 'work' }],
      },
    ])
  })
  const dialog = (page: Page) => page.getByRole('dialog')
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

  test('a list is made, filled with domains and from a search, emptied, renamed and deleted', async () => {
    const member = await app.person({ role: 'member' })
    const page = await app.open('/lists', {
      as: member,
      tolerates: (status, path) => status === 400 && path.endsWith('/items'),
    })
    await page.getByText('There are no lists yet').waitFor()
    await expectGoodLooks(page, 'lists-empty')
    await press(page, 'New list')
    await dialog(page).getByLabel('Name').fill('Spring')
    await expectGoodLooks(page, 'lists-new')
    await press(page, 'Create list')
    await page.getByRole('heading', { name: 'Spring', level: 1 }).waitFor()

    await press(page, 'Add domains')
    const domains = dialog(page).getByLabel('Domains')
    await domains.fill('first-listed.example, https://not-yet.example/\nno domain')
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
    await dialog(page).getByText('“no”, “domain” are not domains').waitFor()
    await domains.fill('first-listed.example, https://not-yet.example/')
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('1 store, 1 domain waiting').waitFor()
    await page.getByRole('row', { name: /not-yet\.example.*Waiting/ }).waitFor()
    await expectGoodLooks(page, 'list-items')

    await page.getByRole('link', { name: 'Stores', exact: true }).click()
    await page.getByRole('row', { name: /Second Listed/ }).waitFor()
    await press(page, 'Add to list')
    await dialog(page).getByText('Spring').first().waitFor()
    await dialog(page)
      .getByText(/costs one search row; 24,998 are left/)
      .waitFor()
    expect(await dialog(page).getByLabel('How many').inputValue()).toBe('2')
    await expectGoodLooks(page, 'lists-add')
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('1 store added to “Spring”, 1 search row spent, 1 was in it already.').waitFor()

    await page.getByRole('link', { name: 'Lists', exact: true }).click()
    await page.getByRole('link', { name: 'Spring' }).click()
    await page.getByRole('checkbox', { name: /First Listed/ }).check()
    await press(page, 'Remove from list')
    await page.getByText('1 store taken off “Spring”.').waitFor()
    await expect.poll(() => page.getByRole('row', { name: /First Listed/ }).count()).toBe(0)
    await press(page, 'Undo')
    await page.getByRole('row', { name: /First Listed/ }).waitFor()

    await press(page, 'Rename')
    await dialog(page).getByLabel('Name').fill('Summer')
    await press(page, 'Save')
    await page.getByRole('heading', { name: 'Summer', level: 1 }).waitFor()
    await press(page, 'Delete')
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('There are no lists yet').waitFor()
  })

  test('a selected person goes into a new list; a viewer sees it and changes nothing', async () => {
    const member = await app.person({ role: 'member' })
    const page = await app.open('/people', { as: member })
    await page.getByRole('checkbox', { name: /Lia/ }).check()
    await press(page, 'Add to list')
    await dialog(page).getByLabel('Name').fill('Faces')
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('1 person added to “Faces”.').waitFor()
    await press(page, 'Select all 1 that match')
    await press(page, 'Add to list')
    await dialog(page).getByText('The first that match').waitFor()
    // The new list arrives a moment after the dialog.
    await dialog(page).getByRole('button', { name: /Faces/ }).waitFor()
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('0 people added to “Faces”, 1 was in it already.').waitFor()
    await page.getByRole('link', { name: 'Lists', exact: true }).click()
    await page.getByRole('link', { name: 'Faces' }).click()
    await press(page, 'Export')
    await dialog(page).getByText('1 new = 1 credit').waitFor()
    await press(page, 'Start export')
    await dialog(page).getByText('The file is ready: 1 row').waitFor()
    await dialog(page).getByRole('link', { name: 'Download' }).waitFor()
    const viewer = await app.person({ role: 'viewer', account: member.account })
    const seen = await app.open('/lists', { as: viewer })
    await seen.getByRole('link', { name: 'Faces' }).click()
    await seen.getByRole('row', { name: /Lia L\*\*\*/ }).waitFor()
    for (const name of ['Rename', 'Delete'])
      expect(await seen.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true')
    // The pointer lies where a closed button is on a phone, and would open its reason.
    await seen.mouse.move(0, 0)
    await expectGoodLooks(seen, 'list-viewer')
  })
})
