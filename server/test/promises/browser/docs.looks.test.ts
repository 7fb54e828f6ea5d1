import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { takeProblems } from './support/console-page.ts'
import { runAxe, screenshot, seesEveryVariant } from './support/looks.ts'

const everyVariant = [
  { name: 'light', colorScheme: 'light', width: 1_280 },
  { name: 'dark', colorScheme: 'dark', width: 1_280 },
  { name: 'phone', colorScheme: 'light', width: 390 },
  { name: 'dark phone', colorScheme: 'dark', width: 390 },
] as const
/** The deep run looks at all of them. */
const variants = seesEveryVariant ? everyVariant : everyVariant.slice(0, 1)

describeInBrowser('a page that is not of the console', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
  })
  const isNotFound = (status: number) => status === 404
  const open = (path: string, { colorScheme, width }: Pick<(typeof everyVariant)[number], 'colorScheme' | 'width'>) =>
    app.open(path, { context: { colorScheme, viewport: { width, height: 800 } }, tolerates: isNotFound })
  const widthOf = (page: Page) => page.locator('html').evaluate((html) => html.scrollWidth)

  /** Scalar tries whether it may use eval. It may not, and does without. */
  const forgiveEval = (page: Page) =>
    expect(takeProblems(page).filter((problem) => !/script-src blocked eval .*scalar\.js/.test(problem))).toEqual([])

  test.each(variants)('the reference has enough contrast everywhere, $name', async (variant) => {
    const page = await open('/docs', variant)
    // The last section is drawn last.
    await page.getByRole('heading', { name: 'Contacts' }).first().waitFor()
    for (const section of ['Usage', 'Billing', 'Taxonomy', 'Stores', 'Contacts', 'Lists', 'Quotes', 'Exports'])
      await page.getByRole('heading', { name: section }).first().scrollIntoViewIfNeeded()
    await screenshot(page, `docs-${variant.name}`)
    expect((await runAxe(page)).filter((violation) => violation.startsWith('color-contrast'))).toEqual([])
    expect(await widthOf(page)).toBe(variant.width)
    forgiveEval(page)
  })

  test('the reference has a title, and leads to the guide and back', async () => {
    const page = await open('/docs', everyVariant[0])
    expect(await page.title()).toBe('Storedex API reference')
    const bar = () => page.getByRole('navigation', { name: 'Documentation' })
    await bar().getByRole('link', { name: 'Guide' }).click()
    await page.getByRole('heading', { level: 1, name: 'The API: a guide for developers' }).waitFor()
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Billing' }).click()
    await expect.poll(() => new URL(page.url()).hash).toBe('#billing')
    const top = () => page.locator('#billing').evaluate((heading) => Math.round(heading.getBoundingClientRect().top))
    // Below the bar, which stays.
    await expect.poll(top).toBeGreaterThanOrEqual(48)
    expect(await top()).toBeLessThan(120)
    await page.getByRole('link', { name: 'the sandbox guide' }).click()
    await page.getByRole('heading', { level: 1, name: 'The sandbox catalogue' }).waitFor()
    await bar().getByRole('link', { name: 'Reference' }).click()
    await page.getByRole('heading', { level: 1, name: 'Storedex API' }).waitFor()
    forgiveEval(page)
  })

  test('a key that was typed into a request stays for the next one, in memory only', async () => {
    const page = await open('/docs#tag/usage/GET/usage', everyVariant[0])
    const key = page.getByRole('dialog').getByPlaceholder('Token')
    const requests = page.getByRole('button', { name: 'Test Request' })
    await requests.first().click()
    await key.fill('sdx_test_typed')
    await key.press('Tab')
    await page.getByRole('button', { name: 'Close Client' }).click()
    await key.waitFor({ state: 'detached' })
    await requests.first().click()
    await expect.poll(() => key.inputValue()).toBe('sdx_test_typed')
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain('typed')
    forgiveEval(page)
  })

  const plain = [
    '/docs/afternoon',
    '/docs/guide',
    '/docs/clients',
    '/docs/sandbox',
    '/docs/exports',
    '/docs/changelog',
    '/docs/privacy',
    '/docs/status-codes',
    '/docs/search?q=reveal',
    '/nothing/here',
    '/billing/done',
    '/billing/done?plan=pro&billing=monthly',
    '/billing/canceled?plan=pro&billing=monthly',
    '/billing/test',
  ]
  test.each(plain)('%s is accessible and fits its width, light and dark, on a desk and on a phone', async (path) => {
    for (const variant of variants) {
      const page = await open(path, variant)
      await screenshot(page, `${path.replace(/\W+/g, '-').slice(1)}-${variant.name}`)
      expect(await runAxe(page), variant.name).toEqual([])
      expect(await widthOf(page), variant.name).toBe(variant.width)
      await page.close()
    }
  })

  test('an unknown path leads to the console', async () => {
    const page = await open('/nothing/here', everyVariant[0])
    await page.getByRole('link', { name: 'Go to the start page' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})
