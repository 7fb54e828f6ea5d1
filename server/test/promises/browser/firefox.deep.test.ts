import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyInput } from 'puppeteer-core'
import { expect, test } from 'vitest'
import { createClient } from '../../support/client.ts'
import { createMember, readSpent, setPassword } from '../../support/members.ts'
import { startConsoleApp } from './support/console-app.ts'
import { describeInFirefox, openInFirefox } from './support/firefox.ts'
import { screenshot } from './support/looks.ts'
import { importShops } from './support/shops.ts'
import { findTableFaults, type MeasuredTables, measureTables } from './support/tables.ts'

const password = 'seven geese over a quiet lake'

describeInFirefox('the console in Firefox', () => {
  test('finds, reveals, lists and exports, makes a key and signs out, with all columns in sight', {
    timeout: 300_000,
  }, async () => {
    const app = await startConsoleApp()
    await importShops(app)
    const member = await createMember(app, { role: 'owner' })
    await setPassword(app, member, password)
    const { page, downloads } = await openInFirefox(app.url, '/sign-in')

    /** By role and exact name; `within` narrows the place by a selector. */
    const at = (role: string, name: string, within = '') =>
      page.locator(`${within} ::-p-aria([role="${role}"][name="${name}"])`)
    const text = (content: string, within = '') => page.locator(`${within} ::-p-text(${content})`)
    const dialog = '[role=dialog]'
    const expectColumnsInSight = async (table: string) => {
      await at('table', table).wait()
      const measured = (await page.evaluate(measureTables)) as MeasuredTables
      expect(measured.tables.map(({ label }) => label)).toContain(table)
      expect(findTableFaults(measured, 1_280)).toEqual([])
      await screenshot(page, `firefox-${table.replaceAll(' ', '-')}`)
    }

    const readValue = (field: ReturnType<typeof at>) =>
      field.map((element) => (element as unknown as { value: string }).value).wait()
    const press = async (modifier: KeyInput, key: KeyInput) => {
      await page.keyboard.down(modifier)
      await page.keyboard.press(key)
      await page.keyboard.up(modifier)
    }
    const goTo = (name: string) => at('link', name, 'nav').click()
    const credits = async () => (await readSpent(app, member.account)).contact_credits

    await at('textbox', 'Email').fill(member.email)
    await page.locator('input[type=password]').fill(password)
    await at('button', 'Sign in').click()
    await at('heading', 'Stores').wait()
    await expectColumnsInSight('Stores')

    // Words become filters.
    await page.keyboard.press('/')
    await page.keyboard.type('germany yotpo')
    await at('option', 'Germany Yotpo').wait()
    await page.keyboard.press('Enter')
    await text('20 stores, 20 not yet exported').wait()
    expect(new URL(page.url()).search).toBe('?countries=DE&apps=yotpo')
    await at('link', 'Shop 8').click()
    await at('heading', 'Shop 8').wait()
    await expectColumnsInSight('People of the store')

    await at('checkbox', 'Select Mara 8 L***').click()
    await text('1 new = 1 credit, 0 already yours').wait()
    await at('button', 'Reveal').click()
    await text('1,000 now → 999 afterwards', dialog).wait()
    expect(await credits()).toBe(0)
    await at('button', 'Reveal 1 person', dialog).click()
    await at('link', 'mara@shop-8.example', dialog).wait()
    await at('button', 'Done', dialog).click()
    expect(await credits()).toBe(1)
    // What is paid for is not asked for again.
    await page.reload()
    await at('link', 'mara@shop-8.example').wait()
    await at('checkbox', 'Select Mara 8 Lindqvist').click()
    await text('0 new = 0 credits, 1 already yours').wait()

    // The keys are the browser's own as well.
    await press('Control', 'k')
    await at('searchbox', 'Page or action').wait()
    await page.keyboard.type('revealed')
    await at('menuitem', 'Revealed').wait()
    await page.keyboard.press('Enter')
    await expectColumnsInSight('Revealed people')
    await text('Mara 8 Lindqvist').wait()
    await at('link', '+1 202 555 0100').wait()
    // The word is there for two seconds.
    await Promise.all([text('Copied').wait(), at('button', 'Copy mara@shop-8.example').click()])
    await at('searchbox', 'Search').click()
    await press('Control', 'v')
    expect(await readValue(at('searchbox', 'Search'))).toBe('mara@shop-8.example')

    await goTo('Stores')
    await at('link', 'Shop 8').wait()
    await at('button', 'Add to list').click()
    await at('textbox', 'Name', dialog).fill('Spring')
    await at('button', 'Add', dialog).click()
    await text('added to “Spring”').wait()
    await goTo('Lists')
    await expectColumnsInSight('Lists')
    await at('link', 'Spring').click()
    await expectColumnsInSight('Items')
    await at('button', 'Export').click()
    await at('button', 'Start export', dialog).click()
    await at('link', 'Download', dialog).click()
    const files = () => readdirSync(downloads)
    await expect.poll(files).toEqual([expect.stringMatching(/\.csv$/)])
    const lines = () => readFileSync(join(downloads, files()[0]!), 'utf8').trim().split('\r\n')
    await expect.poll(() => lines().length).toBe(61)
    await at('button', 'Done', dialog).click()
    await goTo('Exports')
    await expectColumnsInSight('Exports')

    await goTo('Keys')
    await at('button', 'Create key').click()
    await at('textbox', 'Name', dialog).fill('CRM sync')
    await at('button', 'Create key', dialog).click()
    const secret = await readValue(at('textbox', 'Secret key', dialog))
    await at('button', 'Done', dialog).click()
    await expectColumnsInSight('Keys')
    expect((await createClient(app.url, secret).get('/usage')).body.key.name).toBe('CRM sync')

    await at('button', 'Account menu').click()
    await at('menuitem', 'Sign out').click()
    await at('heading', 'Sign in').wait()
    expect(await credits()).toBe(1)
    // Nothing of it is left for who comes next.
    await page.goBack()
    await at('heading', 'Sign in').wait()
  })
  test('is seen to do wrong when it does', async () => {
    const app = await startConsoleApp()
    const { page, problems } = await openInFirefox(app.url, '/sign-in')
    await page.locator('h1').wait()
    expect(problems).toEqual([])
    await page.evaluate(`
      console.error('broken')
      setTimeout(() => { throw new Error('late') })
      fetch('/console/api/nothing')
      new Image().src = 'http://elsewhere.example/'`)
    const found = [
      /^console: broken$/,
      /^uncaught: .*late$/,
      /^uncaught: Content-Security-Policy: .*img-src/,
      /^404 from/,
    ]
    for (const problem of found)
      await expect.poll(() => problems).toEqual(expect.arrayContaining([expect.stringMatching(problem)]))
    // They would fail this test.
    problems.length = 0
  })
})
