import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'

/** What Playwright's own test runner uses for its option `reuseContext`. */
interface ReusingBrowser {
  _newContextForReuse(options: BrowserContextOptions): Promise<BrowserContext>
  _disconnectFromReusedContext(reason: string): Promise<void>
}

/** The profile of a browser that is in use and will be used again. */
const lent = new WeakMap<Browser, BrowserContext>()

/**
 * A browser profile with nothing in it: no cookies, no storage. The first that is open in a browser is emptied after a test and
 * used again, since starting the processes of another takes a second of two processors.
 */
export async function openProfile(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  if (lent.has(browser)) return browser.newContext(options)
  const profile = await (browser as unknown as ReusingBrowser)._newContextForReuse(options)
  lent.set(browser, profile)
  return profile
}

export async function closeProfile(browser: Browser, profile: BrowserContext): Promise<void> {
  if (lent.get(browser) !== profile) return profile.close()
  lent.delete(browser)
  // Until the profile is used again, no page of this test asks for anything.
  for (const page of profile.pages()) await page.goto('about:blank')
  await (browser as unknown as ReusingBrowser)._disconnectFromReusedContext('the test has ended')
}
