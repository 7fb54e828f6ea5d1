import { type Cleanup, type Distribution, distributionOf } from '@storedex/testkit'
import type { Page } from 'playwright-core'
import { createSession } from '../../server/src/customers/users/sessions/sessions.ts'
import { findUserByEmail } from '../../server/src/customers/users/user.ts'
import { createPool } from '../../server/src/foundation/db/pool.ts'
import { openProgram, type Program, serveWith } from '../../server/test/support/programs/program.ts'
import type { Workspace } from '../../server/test/support/programs/workspace.ts'
import { findChromium, startChromium } from '../../stripe-standin/test/support/chromium.ts'
import { fillDatabase } from '../search/catalogue/fill.ts'
import type { BenchTaxonomy } from '../search/catalogue/taxonomy.ts'

export interface FilterResults {
  stores: number
  chromium: string
  changes: number
  /** From the change of the address until the frame with the new rows. */
  total_ms: Distribution
  /** The request alone, as the browser saw it. */
  request_ms: Distribution
  /** From the change of the address until the frame with the counts beside the filters. */
  counts_ms: Distribution
  /** The request of the counts alone. */
  count_request_ms: Distribution
}

// A person may look at 3,000 rows an hour, and a page has at most 25; the rest is for the warm-up.
const [changes, shortChanges] = [100, 5]
const [warmUpChanges, shortWarmUpChanges] = [10, 1]

/** Measures how long a changed filter takes on the page of stores, in a browser, over a catalogue of this size. */
export async function benchFilters(
  { stores, isShort }: { stores: number; isShort: boolean },
  workspace: Workspace,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): Promise<FilterResults> {
  const { taxonomy } = await fillDatabase(workspace, stores, reportProgress)
  const program = openProgram(workspace, cleanup)
  const cookie = await openPerson(program, workspace)
  const service = await serveWith('memory', program)
  reportProgress('the index is in memory')

  const chromium = findChromium()
  if (!chromium) throw new Error('Chromium was not found; set CHROMIUM_PATH.')
  const browser = await startChromium(chromium)
  cleanup.add(() => browser.close())
  const { origin } = new URL(service.api)
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1_280, height: 800 } })
  await context.addCookies([{ ...cookie, url: origin, httpOnly: true, sameSite: 'Lax' }])
  const page = await context.newPage()
  await page.goto('/stores')
  await page.getByRole('row').nth(2).waitFor()

  const warmUp = isShort ? shortWarmUpChanges : warmUpChanges
  const searches = drawSearches(taxonomy, warmUp + (isShort ? shortChanges : changes))
  const measured: Change[] = []
  for (const search of searches) measured.push(await changeFilter(page, search))
  const counted = measured.slice(warmUp)
  return {
    stores,
    chromium: browser.version(),
    changes: counted.length,
    total_ms: distributionOf(counted.map(({ totalMs }) => totalMs)),
    request_ms: distributionOf(counted.map(({ requestMs }) => requestMs)),
    counts_ms: distributionOf(counted.map(({ countsMs }) => countsMs)),
    count_request_ms: distributionOf(counted.map(({ countRequestMs }) => countRequestMs)),
  }
}

/** A person with a session, in an account whose limits no run can reach. */
async function openPerson(program: Program, workspace: Workspace): Promise<{ name: string; value: string }> {
  const email = 'bench@people.example'
  const { id } = await program.run<{ id: string }>('accounts', 'create', '--name', 'Bench', '--plan', 'pro')
  await program.run('accounts', 'set', id, '--limit', 'search_rows=2000000000')
  await program.run('users', 'create', email, '--name', 'Bench', '--account', id, '--role', 'owner')
  const pool = createPool({ url: workspace.databaseUrl, applicationName: 'storedex bench' })
  try {
    const person = (await findUserByEmail(pool, email))!
    const browser = { address: '127.0.0.1', userAgent: 'bench' }
    const value = await createSession(pool, { userId: person.id, browser, now: new Date() })
    return { name: 'storedex_session', value }
  } finally {
    await pool.end()
  }
}

/** Addresses with one to three filters, all different: a search that was made before comes from the page's memory. */
function drawSearches(taxonomy: BenchTaxonomy, count: number): string[] {
  const [apps, countries, categories] = (['app', 'country', 'category'] as const).map((facet) =>
    taxonomy.ranked(facet).map(({ value }) => value),
  ) as [string[], string[], string[]]
  return Array.from({ length: count }, (_, index) => {
    const app = apps[index % apps.length]!
    const country = countries[index % countries.length]!
    const category = categories[index % categories.length]!
    const kinds = [
      { apps: app },
      { countries: country, apps: app },
      { categories: category, apps_none: app },
      { countries: `${country} ${countries[0]}`, apps_none: app },
      { countries: country, categories: category, apps_none: app },
    ]
    return `/stores?${new URLSearchParams(kinds[index % kinds.length])}`
  })
}

interface Change {
  totalMs: number
  requestMs: number
  countsMs: number
  countRequestMs: number
}

/** Changes the address as a filter does, and measures in the page. */
function changeFilter(page: Page, address: string): Promise<Change> {
  return page.evaluate(`(${changeAddress})(${JSON.stringify(address)})`)
}

// The code of the page: resolves when the first change of the document after each of the two replies is on the screen.
const changeAddress = `async (address) => {
  const frames = []
  const observer = new MutationObserver(() => {
    const changedAt = performance.now()
    requestAnimationFrame(() => {
      // Runs after the frame was drawn.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => frames.push({ changedAt, drawnAt: performance.now() })
      port2.postMessage(null)
    })
  })
  observer.observe(document.body, { childList: true, characterData: true, subtree: true })
  performance.clearResourceTimings()
  const { startTime } = performance.mark('filter')
  history.pushState({}, '', address)
  try {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 4))
      const requests = performance.getEntriesByType('resource')
      const shownAfter = (ending) => {
        const request = requests.find(({ name, responseEnd }) => name.endsWith(ending) && responseEnd > 0)
        const frame = request && frames.find(({ changedAt }) => changedAt >= request.responseEnd)
        return frame && { shownMs: frame.drawnAt - startTime, requestMs: request.responseEnd - request.startTime }
      }
      const [rows, counts] = [shownAfter('/stores/search'), shownAfter('/stores/count')]
      if (rows && counts)
        return {
          totalMs: rows.shownMs,
          requestMs: rows.requestMs,
          countsMs: counts.shownMs,
          countRequestMs: counts.requestMs,
        }
      if (performance.now() - startTime > 10_000) throw new Error(address + ' was not answered within ten seconds')
    }
  } finally {
    observer.disconnect()
  }
}`
