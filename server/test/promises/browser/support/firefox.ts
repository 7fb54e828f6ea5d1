import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Page } from 'puppeteer-core'
import { describe, expect, onTestFinished } from 'vitest'
import { findProgram } from '../../../../../stripe-standin/test/support/chromium.ts'
import { removeFolder } from '../../../support/cleanup.ts'

const firefoxPath =
  process.env.FIREFOX_PATH ||
  findProgram(['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'])
if (!firefoxPath) console.warn('Firefox was not found (set FIREFOX_PATH): the tests in it are skipped.')

/** `describe` for tests that need Firefox; skipped where there is none. */
export const describeInFirefox = describe.skipIf(!firefoxPath)

interface FirefoxPage {
  page: Page
  /** What the page did wrong so far. */
  problems: string[]
  /** Where downloads are stored. */
  downloads: string
}

/**
 * Opens a page of the console in Firefox, driven by WebDriver BiDi, until the end of the test. By then it must have had no error
 * on its console, no uncaught error, no violation of the Content-Security-Policy, and no request that failed or was refused.
 */
export async function openInFirefox(url: string, path: string): Promise<FirefoxPage> {
  const downloads = mkdtempSync(join(tmpdir(), 'storedex-downloads-'))
  onTestFinished(() => removeFolder(downloads))
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: firefoxPath!,
    defaultViewport: { width: 1_280, height: 860 },
    extraPrefsFirefox: {
      'browser.download.folderList': 2,
      'browser.download.dir': downloads,
      // Animations would be measured half-way.
      'ui.prefersReducedMotion': 1,
    },
  })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  // A busy machine takes its time.
  page.setDefaultTimeout(60_000)
  const problems = collectProblems(page, url)
  onTestFinished(() => expect(problems, 'problems of the page').toEqual([]))
  await page.goto(url + path)
  return { page, problems, downloads }
}

function collectProblems(page: Page, url: string): string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`)
  })
  // Violations of the policy are among them.
  page.on('pageerror', (error) => problems.push(`uncaught: ${error instanceof Error ? error.message : error}`))
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== url)
      problems.push(`request to another host: ${request.url()}`)
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // A page that is left gives up what it still waits for.
    if (reason !== 'NS_BINDING_ABORTED') problems.push(`${reason} from ${request.url()}`)
  })
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    const isVisitor = response.status() === 401 && pathname === '/console/api/session'
    if (response.status() >= 400 && !isVisitor) problems.push(`${response.status()} from ${pathname}`)
  })
  return problems
}
