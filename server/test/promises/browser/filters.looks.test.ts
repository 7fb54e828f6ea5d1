import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { Gate } from '../../support/gate.ts'
import { createMember, type TestMember } from '../../support/members.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { untilLoaded } from './support/console-page.ts'
import { expectGoodLooks } from './support/looks.ts'
import { importShops } from './support/shops.ts'

const group = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Filters' }).getByRole('group', { name, exact: true })
const box = (page: Page, of: string, name: string) => group(page, of).getByRole('checkbox', { name, exact: true })
const isFocused = (control: Locator) =>
  expect
    .poll(() =>
      control.evaluate((each) => {
        const { activeElement } = each.ownerDocument
        return activeElement === each ? 'focused' : `the focus is on ${activeElement?.outerHTML}`
      }),
    )
    .toBe('focused')

/** The values that are in sight in a group, as `Germany 40`; chosen ones with a tick. */
async function valuesOf(page: Page, name: string): Promise<string[]> {
  await untilLoaded(page)
  const items = group(page, name).getByRole('listitem')
  return items.evaluateAll((all) =>
    all.map((item) => {
      const texts = [...item.querySelectorAll('label, [id$=-above], [id$=-count]')].map((each) => each.textContent)
      const tick = item.querySelector('input')?.matches(':checked') ? '☑ ' : ''
      return tick + (texts.join(' ') || item.textContent)
    }),
  )
}

/** Away from the filters, where nothing is to be pressed. */
const leaveFilters = (page: Page) => page.mouse.move(900, 8)

describeInBrowser('the values of filters', () => {
  let app: BrowserApp
  let member: TestMember
  beforeAll(async () => {
    app = await startBrowserApp()
    await importShops(app)
    await app.importStores([
      {
        domain: 'fjord.example',
        name: 'Fjord',
        country: 'NO',
        category: 'apparel_accessories_shoes',
        technologies: { apps: ['gorgias'] },
      },
      {
        domain: 'candle.example',
        name: 'Candle',
        country: 'NO',
        category: 'home_garden',
        technologies: { apps: ['gorgias'] },
      },
    ])
    member = await createMember(app)
  })

  test('stand with the chosen ones first, then by count; those that would find nothing are folded, and found', async () => {
    const page = await app.open('/stores', { as: member })
    await box(page, 'Countries', 'Germany').waitFor()
    expect(await valuesOf(page, 'Countries')).toEqual(['Germany 40', 'France 20', 'Norway 2'])
    const more = group(page, 'Countries').getByRole('button', { name: /^Show \d+ more$/ })
    await more.click()
    expect((await valuesOf(page, 'Countries')).slice(2, 5)).toEqual(['Norway 2', 'Afghanistan 0', 'Åland Islands 0'])
    await group(page, 'Countries').getByRole('button', { name: 'Show fewer' }).click()
    await more.waitFor()
    await group(page, 'Countries').getByRole('searchbox').fill('antarc')
    expect(await valuesOf(page, 'Countries')).toEqual(['Antarctica 0'])
    await group(page, 'Countries').getByRole('searchbox').fill('')

    await page.goto('/stores?countries=NO+AQ')
    await box(page, 'Countries', 'Antarctica').waitFor()
    expect(await valuesOf(page, 'Countries')).toEqual(['☑ Norway 2', '☑ Antarctica 0', 'Germany 40', 'France 20'])
    await group(page, 'Countries').getByRole('searchbox').fill('ger')
    expect((await valuesOf(page, 'Countries')).slice(0, 3)).toEqual(['☑ Norway 2', '☑ Antarctica 0', 'Germany 40'])
    await expectGoodLooks(page, 'filters-chosen')
  })

  test('of a tree keep what they belong to, and a chosen one says it', async () => {
    const page = await app.open('/stores?categories=home_garden', { as: member })
    await box(page, 'Categories', 'Home & Garden').waitFor()
    expect(await valuesOf(page, 'Categories')).toEqual(['☑ Home & Garden 61', 'Apparel & Accessories 1', 'Shoes 1'])
    await group(page, 'Categories').getByRole('searchbox').fill('shoes')
    expect((await valuesOf(page, 'Categories')).slice(0, 3)).toEqual([
      '☑ Home & Garden 61',
      'Apparel & Accessories 1',
      'Shoes 1',
    ])
    await box(page, 'Categories', 'Shoes').click()
    await group(page, 'Categories').getByRole('searchbox').fill('')
    await leaveFilters(page)
    await page.getByRole('heading', { name: 'Stores', level: 1 }).focus()
    await expect
      .poll(() => valuesOf(page, 'Categories'))
      .toEqual(['☑ Home & Garden 61', '☑ Shoes in Apparel & Accessories 1', 'Apparel & Accessories 1'])
  })

  test('of people are ordered alike, also in the groups for roles', async () => {
    const page = await app.open('/people?roles=founder', { as: member })
    await box(page, 'Roles', 'Founder').waitFor()
    expect(await valuesOf(page, 'Roles')).toEqual(['☑ Founder 40', 'Marketing 40'])
    expect(await valuesOf(page, 'Countries')).toEqual(['Germany 40'])
    await group(page, 'Roles')
      .getByRole('button', { name: /^Show \d+ more$/ })
      .waitFor()
  })

  test('stay in their places while somebody chooses, and take their order afterwards with the focus where it was', async () => {
    const page = await app.open('/stores', { as: member })
    await box(page, 'Countries', 'France').waitFor()
    await untilLoaded(page)
    const counts = new Gate()
    counts.close()
    await page.route('**/stores/count', (route) => counts.guard(route).continue())
    await box(page, 'Countries', 'France').click()
    await page.getByRole('button', { name: 'Remove France' }).waitFor()
    counts.open()
    expect(await valuesOf(page, 'Countries')).toEqual(['Germany 40', '☑ France 20', 'Norway 2'])
    await leaveFilters(page)
    await expect.poll(() => valuesOf(page, 'Countries')).toEqual(['☑ France 20', 'Germany 40', 'Norway 2'])
    await isFocused(box(page, 'Countries', 'France'))
    // A scroll brings what was chosen to the top at once.
    await group(page, 'Countries').getByRole('button', { name: /more$/ }).click()
    await box(page, 'Countries', 'Norway').click()
    await page.mouse.wheel(0, 2_000)
    await expect
      .poll(async () => (await valuesOf(page, 'Countries')).slice(0, 3))
      .toEqual(['☑ France 20', '☑ Norway 2', 'Germany 40'])
    await isFocused(box(page, 'Countries', 'Norway'))
  })

  test('do not move those below that somebody points at', async () => {
    const page = await app.open('/stores', { as: member })
    await group(page, 'Apps').getByRole('button', { name: 'Apps' }).click()
    const yotpo = box(page, 'Apps', 'Yotpo')
    await yotpo.waitFor()
    const place = () => yotpo.evaluate((each) => each.getBoundingClientRect().top)
    await yotpo.hover()
    const before = await place()
    await yotpo.click()
    await page.getByText('30 stores, 30 not yet exported').waitFor()
    expect(await valuesOf(page, 'Countries')).toEqual(['Germany 20', 'France 10', 'Norway 0'])
    expect(await place()).toBe(before)
    await leaveFilters(page)
    await expect.poll(() => valuesOf(page, 'Countries')).toEqual(['Germany 20', 'France 10'])
  })

  test('stay in sight while their group is closed', async () => {
    const page = await app.open('/stores?countries=DE+FR&apps_none=yotpo', { as: member })
    await box(page, 'Apps', 'Yotpo').waitFor()
    for (const [name, chosen] of [
      ['Countries', 'Germany, France'],
      ['Apps', 'not Yotpo'],
    ] as const) {
      await group(page, name).getByRole('button', { name, exact: true }).click()
      await group(page, name).getByText(chosen).waitFor()
    }
    expect(await valuesOf(page, 'Countries')).toEqual([])
    await expectGoodLooks(page, 'filters-closed')
  })

  test('are one stop for each group, with the arrow keys, Home and End inside', async () => {
    const page = await app.open('/stores', { as: member })
    await box(page, 'Countries', 'Germany').waitFor()
    await untilLoaded(page)
    const head = group(page, 'Countries').getByRole('button', { name: 'Countries', exact: true })
    await page.getByRole('searchbox', { name: 'Search', exact: true }).focus()
    await page.keyboard.press('Tab')
    await isFocused(page.getByRole('link', { name: 'Skip to results' }))
    await page.keyboard.press('Tab')
    await isFocused(head)
    await page.keyboard.press('Tab')
    await isFocused(group(page, 'Categories').getByRole('button', { name: 'Categories', exact: true }))
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ArrowDown')
    await isFocused(group(page, 'Countries').getByRole('searchbox'))
    await page.keyboard.press('ArrowDown')
    await isFocused(box(page, 'Countries', 'Germany'))
    await page.keyboard.press('End')
    await isFocused(group(page, 'Countries').getByRole('button', { name: /more$/ }))
    await page.keyboard.press('ArrowUp')
    await isFocused(box(page, 'Countries', 'Norway'))
    await page.keyboard.press('Space')
    await page.getByText('2 stores, 2 not yet exported').waitFor()
    expect(await valuesOf(page, 'Countries')).toEqual(['Germany 40', 'France 20', '☑ Norway 2'])
    await page.keyboard.press('ArrowUp')
    await isFocused(box(page, 'Countries', 'France'))
    await page.keyboard.press('Home')
    await isFocused(head)
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowUp')
    // Tab goes on, and comes back to where it left.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    await isFocused(box(page, 'Countries', 'Norway'))
    // Left and right are those of the radio buttons, up and down lead past them.
    await group(page, 'Apps').getByRole('button', { name: 'Apps', exact: true }).press('Enter')
    await page.keyboard.press('ArrowDown')
    await isFocused(group(page, 'Apps').getByRole('radio', { name: 'Any of' }))
    await page.keyboard.press('ArrowRight')
    await isFocused(group(page, 'Apps').getByRole('radio', { name: 'All of', checked: true }))
    await page.keyboard.press('ArrowDown')
    await isFocused(group(page, 'Apps').getByRole('searchbox'))
    await page.keyboard.press('ArrowUp')
    await isFocused(group(page, 'Apps').getByRole('radio', { name: 'All of', checked: true }))
  })

  test('of several chips and buttons are one stop each, and the focus stays when one is removed', async () => {
    const page = await app.open('/stores?countries=DE+FR+NO', { as: member })
    const chip = (name: string) => page.getByRole('button', { name: `Remove ${name}` })
    await chip('Germany').focus()
    await page.keyboard.press('ArrowRight')
    await isFocused(chip('France'))
    await page.keyboard.press('Enter')
    await chip('France').waitFor({ state: 'detached' })
    await isFocused(chip('Norway'))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    await isFocused(chip('Norway'))
    await page.getByRole('button', { name: 'Columns' }).focus()
    await page.keyboard.press('ArrowRight')
    await isFocused(page.getByRole('button', { name: 'Copy as' }))
    await page.keyboard.press('ArrowDown')
    await page.getByRole('menuitem', { name: 'curl' }).waitFor()
    await page.keyboard.press('Escape')
  })
})
