import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { createTestUser } from '../../support/user.ts'
import { type BrowserApp, describeInBrowser, startBrowserApp } from './support/browser-app.ts'
import { expectGoodLooks } from './support/looks.ts'

const firstLoadLimitBytes = 220 * 1024

describeInBrowser('the console in a browser', () => {
  let app: BrowserApp
  beforeAll(async () => {
    app = await startBrowserApp()
  })

  test('asks a visitor to sign in', async () => {
    const page = await app.open('/')
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    await page.getByLabel('Email').waitFor()
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    await expectGoodLooks(page, 'sign-in')
  })

  test('shows the stores to somebody who is signed in', async () => {
    const page = await app.open('/', { as: await createTestUser(app.url, app.deps, {}) })
    await page.getByRole('heading', { name: 'Stores', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/stores')
    for (const name of ['Stores', 'People', 'Revealed', 'Exports', 'Usage', 'Keys', 'Billing', 'Account'])
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).first().waitFor()
    await expectGoodLooks(page, 'stores')
  })

  test('lets React Aria empty its announcer, which no other text may do', async () => {
    const page = await app.open('/sign-in')
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    const devtools = await page.context().newCDPSession(page)
    const emptied = `document.querySelector('h1').innerHTML = ''; document.querySelector('h1').textContent`
    expect((await devtools.send('Runtime.evaluate', { expression: emptied })).result.value).toBe('')
  })

  test.each([
    ['/stores', 'stores'],
    ['/people', 'contacts'],
    ['/usage', 'usage'],
    ['/account/audit', 'account-audit'],
    ['/operator/accounts', 'operator-accounts'],
  ])('the document of %s names all scripts that the page is made of', async (path, folder) => {
    const document = await (await fetch(`${app.url}${path}`, { headers: { accept: 'text/html' } })).text()
    const named = [...document.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(([, file]) => file)
    const page = await app.open('about:blank', {
      as: await createTestUser(app.url, app.deps, { operator: true }),
      tolerates: (status) => status === 404,
    })
    const sizes = countScripts(page)
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const needed = [...(await sizes()).keys()].filter(
      (file) => /\/(index|app-layout)-/.test(file) || file.includes(folder),
    )
    expect(needed.length).toBeGreaterThanOrEqual(3)
    expect(named).toEqual(expect.arrayContaining(needed))
  })

  test.each(['/sign-in', '/stores', '/people', '/keys'])('%s loads little JavaScript at first', async (path) => {
    const as = path === '/sign-in' ? {} : { as: await createTestUser(app.url, app.deps, {}) }
    // A profile of its own, whose cache is empty.
    const page = await app.open('about:blank', { ...as, context: {} })
    const sizes = countScripts(page)
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    const total = [...(await sizes()).values()].reduce((sum, bytes) => sum + bytes, 0)
    expect(total).toBeGreaterThan(50 * 1024)
    expect(total).toBeLessThanOrEqual(firstLoadLimitBytes)
  })
})

/** The scripts that the page fetches from now on, with their bytes as they were sent. */
function countScripts(page: Page): () => Promise<Map<string, number>> {
  const fetched: Promise<[string, number]>[] = []
  page.on('requestfinished', (request) => {
    if (request.resourceType() !== 'script') return
    fetched.push(request.sizes().then(({ responseBodySize }) => [new URL(request.url()).pathname, responseBodySize]))
  })
  return async () => new Map(await Promise.all(fetched))
}
