import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { closeProfile, openProfile } from './profile.ts'

/** Says whether a reply with an error status is what the test is about. */
export type Tolerates = (status: number, path: string) => boolean

interface PageOptions {
  /** The `Cookie` header of a session. */
  cookie: string | undefined
  tolerates?: Tolerates
  context?: BrowserContextOptions
}

/**
 * Opens a page. At the end of the test it must have had no error on its console, no uncaught error, no violation of the
 * Content-Security-Policy, no request to another host, and no reply with an error status but those that are tolerated.
 */
export async function openConsolePage(
  browser: Browser,
  url: string,
  path: string,
  { cookie, tolerates = () => false, context: settings }: PageOptions,
): Promise<Page> {
  // Animations would be measured half-way.
  const options = { baseURL: url, locale: 'en-GB', reducedMotion: 'reduce' as const, ...settings }
  // Permissions and touch stay with a profile.
  const context = settings ? await browser.newContext(options) : await openProfile(browser, options)
  if (cookie) {
    const [name = '', value = ''] = cookie.split('=')
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }])
  }
  await context.addInitScript({ content: reportPolicyViolations })
  const page = context.pages()[0] ?? (await context.newPage())
  collectProblems(page, url, tolerates)
  onTestFinished(async () => {
    await closeProfile(browser, context)
    expect(takeProblems(page), 'problems of the page').toEqual([])
  })
  await page.goto(path)
  return page
}

const problemsOf = new WeakMap<Page, string[]>()
const requestsOf = new WeakMap<Page, Set<Request>>()

/**
 * Waits until no request of the page is under way, what came is drawn, and that asked for nothing more. A request with an
 * Idempotency-Key is not waited for: pages show how far it is.
 */
export async function untilLoaded(page: Page): Promise<void> {
  const underWay = requestsOf.get(page)!
  for (let quietTurns = 0; quietTurns < 3; quietTurns = underWay.size > 0 ? 0 : quietTurns + 1)
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 10)))')
}

/** The problems of a page so far, which the end of the test then forgives. */
export function takeProblems(page: Page): string[] {
  return problemsOf.get(page)?.splice(0) ?? []
}

function collectProblems(page: Page, url: string, tolerates: Tolerates): void {
  const problems: string[] = []
  problemsOf.set(page, problems)
  page.on('console', (message) => {
    // Replies are looked at below, where their path is known.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(`console: ${message.text()}`)
  })
  const underWay = new Set<Request>()
  requestsOf.set(page, underWay)
  page.on('request', (request) => {
    if (!request.headers()['idempotency-key']) underWay.add(request)
  })
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin)
      problems.push(`request to another host: ${request.url()}`)
  })
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    const status = response.status()
    const isVisitor = status === 401 && pathname === '/console/api/session'
    if (status >= 400 && !isVisitor && !tolerates(status, pathname)) problems.push(`${status} from ${pathname}`)
  })
}

// Runs in the page, where the policy does not apply to it.
const reportPolicyViolations = `document.addEventListener('securitypolicyviolation', (violation) => {
  const { violatedDirective, blockedURI, sourceFile, lineNumber } = violation
  console.error(\`policy: \${violatedDirective} blocked \${blockedURI} (\${sourceFile}:\${lineNumber})\`)
})`
