import { beforeAll, expect, test } from 'vitest'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { takeProblems } from './support/console-page.ts'
import { judgePair } from './support/contrast.ts'
import { everyVariant, expectGoodLooks, runAxe } from './support/looks.ts'

// What a page does wrong has to fail the tests of pages: each promise is broken once.
describeInBrowser('the tests of pages', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
  })

  test.each([
    ['an error on the console', `console.error('broken')`, /^console: broken$/],
    ['an uncaught error', `setTimeout(() => { throw new Error('broken') })`, /^uncaught: broken$/],
    [
      'a style element',
      `document.head.append(Object.assign(document.createElement('style'), { textContent: 'a {}' }))`,
      /^console: policy: style-src-elem blocked inline/,
    ],
    [
      'an inline script',
      `document.head.append(Object.assign(document.createElement('script'), { textContent: '1' }))`,
      /^console: policy: require-trusted-types-for blocked/,
    ],
    ['compiled text', `setTimeout('1')`, /^console: policy: require-trusted-types-for blocked/],
    [
      'HTML from text',
      `document.body.innerHTML = '<b>broken</b>'`,
      /^console: policy: require-trusted-types-for blocked/,
    ],
    ['a request to another host', `new Image().src = 'http://elsewhere.example/'`, /^console: policy: img-src blocked/],
    ['a reply that it cannot have expected', `fetch('/console/api/nothing')`, /^404 from \/console\/api\/nothing$/],
  ])('notice %s', async (_name, script, problem) => {
    const page = await app.open('/sign-in')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(takeProblems(page)).toEqual([])
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Runtime.evaluate', { expression: script, allowUnsafeEvalBlockedByCSP: false })
    const found: string[] = []
    await expect.poll(() => found.push(...takeProblems(page)) && found.join('\n')).toMatch(new RegExp(problem, 'm'))
  })

  test('notice what axe finds', async () => {
    const page = await app.open('/sign-in')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.locator('h1').evaluate((heading) => heading.setAttribute('role', 'img'))
    expect((await runAxe(page)).join('\n')).toContain('role-img-alt')
  })

  test('notice a colour that is no token of the theme, and tokens that are too faint in one theme', async () => {
    const page = await app.open('/sign-in')
    const heading = page.getByRole('heading', { name: 'Sign in' })
    await heading.waitFor()
    await heading.evaluate((element) => {
      element.style.color = '#010203'
    })
    await expect(expectGoodLooks(page, 'strange')).rejects.toThrow(/^contrasts of strange/)
    // White on the danger's soft red, which is a dark red in the dark.
    expect(judgePair({ text: 'rgb(255, 255, 255)', background: 'rgb(253, 236, 234)', isLarge: true })).toMatch(
      /^on-accent on danger-soft: 1\.\d\d in light, not 3$/,
    )
  })

  test('notice a colour that is too faint in the dark alone', async () => {
    const page = await app.open('/sign-in')
    const heading = page.getByRole('heading', { name: 'Sign in' })
    await heading.waitFor()
    await heading.evaluate((element) => {
      element.style.color = 'light-dark(#000, #333)'
    })
    await expect(expectGoodLooks(page, 'faint', everyVariant.slice(1))).rejects.toThrow(/^faint, dark: /)
  })
})
