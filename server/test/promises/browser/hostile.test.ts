import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { aurora } from '../../support/fixtures.ts'
import type { TestUser } from '../../support/user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { screenshot } from './support/looks.ts'

const domain = 'hostile.example'

/** What a catalogue may hold: each is a text like others. */
const texts = {
  markup: `<img src=x onerror="alert('markup')"><script>alert('script')</script>`,
  formula: `=HYPERLINK("http://elsewhere.example/","press")`,
  reversed: 'safe\u202Egpj.exe\u202C',
  wide: '\u6771\u4EAC\u306E\u3068\u3066\u3082\u9577\u3044\u540D\u524D\u306E\u304A\u5E97'.repeat(6),
  invisible: 'zero\u200Bwidth\u200Djoined\uFEFFmark',
  long: 'Donaudampfschifffahrt'.repeat(10).slice(0, 200),
  emoji: '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}\u{1F1E9}\u{1F1EA}'.repeat(8),
  rightToLeft: '\u0645\u062A\u062C\u0631 \u0627\u0644\u0634\u0645\u0639',
}
const shortFormula = `=cmd|'/c calc'!A1`
const entries = Object.entries(texts)

const phone = { width: 390, height: 844 }

describeInBrowser('names that somebody chose to do harm', () => {
  let app: BrowserApp
  let user: TestUser
  beforeAll(async () => {
    app = await startBrowserApp()
    await app.importStores(
      entries.map(([name, text], index) => ({
        ...aurora,
        domain: `${name.toLowerCase()}.${domain}`,
        aliases: [],
        name: text,
        lead_fit_score: 90 - index,
        technologies: { apps: [], pixels: [], theme: { name: text, type: 'custom' } },
      })),
    )
    await app.importContacts(
      entries.map(([name, text]) => ({
        store_domain: `${name.toLowerCase()}.${domain}`,
        external_id: name,
        // An import takes no address in what a preview shows.
        first_name: name === 'formula' ? shortFormula : text,
        last_name: text,
        title: name === 'formula' ? shortFormula : text,
        role: 'marketing',
        emails: [{ email: `${name}@people.example`, status: 'verified' }],
      })),
    )
    user = await app.person({ name: texts.markup })
  })

  /** Nothing runs, and nothing is wider than the window, wide or narrow. */
  async function expectHarmless(page: Page, name: string): Promise<void> {
    for (const size of [{ width: 1_280, height: 800 }, phone]) {
      await page.setViewportSize(size)
      await screenshot(page, `hostile-${name}-${size.width}`)
      const width = () => page.locator('html').evaluate((html) => html.scrollWidth)
      await expect.poll(width, { message: `width of ${name} at ${size.width}` }).toBeLessThanOrEqual(size.width)
      expect(dialogs).toEqual([])
      const strays = page.locator('main img, main script, main iframe, body > img')
      expect(await strays.count(), `elements of a text on ${name}`).toBe(0)
    }
    await page.setViewportSize({ width: 1_280, height: 800 })
  }

  /** The dialogs of the browser that were opened: a text was run. */
  const dialogs: string[] = []
  async function open(path: string): Promise<Page> {
    const page = await app.open('about:blank', { as: user })
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type())
      void dialog.dismiss()
    })
    await page.goto(path)
    return page
  }

  const all = Object.values(texts)

  test('are shown as they are among the stores', async () => {
    const page = await open('/stores')
    for (const text of all) await page.getByRole('link', { name: text, exact: true }).waitFor()
    await page.goto('/stores?columns=store+theme')
    await page.getByRole('columnheader', { name: 'Theme' }).waitFor()
    await expectHarmless(page, 'stores')
  })

  test('are shown as they are on the page of a store', async () => {
    const page = await open('about:blank')
    for (const [name, text] of entries) {
      await page.goto(`/stores/${name.toLowerCase()}.${domain}`)
      await page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor()
      await page.getByRole('checkbox', { name: /^Select (?!all)/ }).waitFor()
      await expectHarmless(page, `store-${name}`)
    }
  })

  test('are shown as they are among people, in the reveal, and among the revealed', async () => {
    const page = await open('/people')
    await page.getByRole('checkbox', { name: /^Select all/ }).check()
    await expectHarmless(page, 'people')
    await page.getByRole('button', { name: 'Reveal', exact: true }).click()
    await page.getByRole('button', { name: `Reveal ${entries.length} people` }).click()
    const dialog = page.getByRole('dialog', { name: `${entries.length} people revealed` })
    for (const text of all) await dialog.getByText(text).first().waitFor()
    await expectHarmless(page, 'reveal')
    await page.goto('/revealed')
    await page.getByRole('rowheader').first().waitFor()
    for (const text of all) await page.getByRole('rowheader').getByText(text).first().waitFor()
    await expectHarmless(page, 'revealed')
  })
})
