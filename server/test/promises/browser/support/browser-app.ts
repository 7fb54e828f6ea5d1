import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { describe } from 'vitest'
import { findChromium, startChromium } from '../../../../../stripe-standin/test/support/chromium.ts'
import type { TestApp, TestAppOptions } from '../../../support/app.ts'
import { atEnd } from '../../../support/cleanup.ts'
import type { TestUser } from '../../../support/user.ts'
import { startConsoleApp } from './console-app.ts'
import { openConsolePage, type Tolerates } from './console-page.ts'

const chromiumPath = findChromium()
if (!chromiumPath) console.warn('Chromium was not found (set CHROMIUM_PATH): the browser tests are skipped.')

/** `describe` for tests that need a browser; skipped where there is none. */
export const describeInBrowser = describe.skipIf(!chromiumPath)

interface OpenOptions {
  /** Who is signed in; by default nobody. */
  as?: TestUser
  /** Replies with these statuses are part of the test. */
  tolerates?: Tolerates
  context?: BrowserContextOptions
}

export interface BrowserApp extends TestApp {
  browser: Browser
  /** Opens a path of the console in a browser profile of its own, until the end of the test. */
  open(path: string, options?: OpenOptions): Promise<Page>
}

/** Starts the app with the built console, and Chromium, until the end of the file's tests. */
export async function startBrowserApp(options: Partial<TestAppOptions> = {}): Promise<BrowserApp> {
  const browser = await startChromium(chromiumPath!)
  atEnd(() => browser.close())
  const app = await startConsoleApp(options)
  return {
    ...app,
    browser,
    open: (path, { as, ...rest } = {}) => openConsolePage(browser, app.url, path, { cookie: as?.cookie, ...rest }),
  }
}
