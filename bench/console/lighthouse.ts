import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { type Cleanup, median } from '@storedex/testkit'
import { findChromium } from '../../stripe-standin/test/support/chromium.ts'
import { installFolderPackages } from '../support/packages.ts'

/** Pages of the console; the first one is measured without a session. */
const pages = ['/sign-in', '/stores', '/people', '/usage'] as const
const categories = ['performance', 'accessibility', 'best-practices'] as const
const forms = ['desktop', 'mobile'] as const
const metrics = {
  first_contentful_paint_ms: 'first-contentful-paint',
  largest_contentful_paint_ms: 'largest-contentful-paint',
  total_blocking_ms: 'total-blocking-time',
  layout_shift: 'cumulative-layout-shift',
} as const
type Metric = keyof typeof metrics

export interface LighthouseResults {
  lighthouse: string
  chromium: string
  /** Of the machine while it measured; Lighthouse expects 1000 or more. */
  benchmark_index: number
  rounds: number
  pages: PageResult[]
}

interface PageResult {
  path: string
  form: (typeof forms)[number]
  /** Medians of the rounds, from 0 to 100. */
  scores: Record<(typeof categories)[number], number>
  metrics: Record<Metric, number>
  /** The audits of the last round that cost points. */
  lost: string[]
}

interface Options {
  /** A one-time link of the running service, as its start prints it. */
  link: string
  rounds: number
}

const folder = join(import.meta.dirname, 'lighthouse')

/** Measures pages of a running service with Lighthouse, on a fast and on a slow connection. */
export async function benchLighthouse(
  { link, rounds }: Options,
  temporaryFolder: string,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): Promise<LighthouseResults> {
  await installFolderPackages(folder, () => reportProgress('installing Lighthouse'))
  const { default: lighthouse } = await load<LighthouseModule>('index.js')
  const { default: desktop } = await load<{ default: object }>('config/desktop-config.js')
  const port = await startChromium(temporaryFolder, cleanup)
  const { origin } = new URL(link)
  const cookie = await signIn(link)

  const results: PageResult[] = []
  let last: Report | undefined
  for (const path of pages)
    for (const form of forms) {
      const reports: Report[] = []
      for (let round = 0; round < rounds; round += 1) {
        const flags = {
          port,
          logLevel: 'error',
          onlyCategories: categories,
          extraHeaders: path === '/sign-in' ? {} : { cookie },
        }
        const result = await lighthouse(`${origin}${path}`, flags, form === 'desktop' ? desktop : undefined)
        last = result!.lhr
        if (last.runtimeError) throw new Error(`Lighthouse could not measure ${path}: ${last.runtimeError.message}`)
        if (new URL(last.finalDisplayedUrl).pathname !== path)
          throw new Error(`${path} led to ${last.finalDisplayedUrl}`)
        reports.push(last)
      }
      const measured = summarize(path, form, reports)
      results.push(measured)
      reportProgress(`${path} (${form}): ${categories.map((name) => measured.scores[name]).join(', ')}`)
    }
  return {
    lighthouse: last!.lighthouseVersion,
    chromium: /Chrome\/([\d.]+)/.exec(last!.environment.hostUserAgent)?.[1] ?? 'unknown',
    benchmark_index: Math.round(last!.environment.benchmarkIndex),
    rounds,
    pages: results,
  }
}

/** The part of Lighthouse's report that is read. */
interface Report {
  lighthouseVersion: string
  finalDisplayedUrl: string
  runtimeError?: { message: string }
  environment: { benchmarkIndex: number; hostUserAgent: string }
  categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { score: number | null; numericValue?: number }>
}

interface LighthouseModule {
  default(url: string, flags: object, config?: object): Promise<{ lhr: Report } | undefined>
}

function load<T>(file: string): Promise<T> {
  return import(pathToFileURL(join(folder, 'node_modules/lighthouse/core', file)).href)
}

function summarize(path: string, form: PageResult['form'], reports: readonly Report[]): PageResult {
  const score = (name: string) => Math.round(median(reports.map((report) => report.categories[name]!.score)) * 100)
  const metric = (id: string) => {
    const value = median(reports.map((report) => report.audits[id]!.numericValue!))
    return id === metrics.layout_shift ? Number(value.toFixed(3)) : Math.round(value)
  }
  const { categories: scored, audits } = reports.at(-1)!
  const lost = Object.values(scored)
    .flatMap(({ auditRefs }) => auditRefs)
    .filter(({ id, weight }) => weight > 0 && (audits[id]!.score ?? 1) < 0.9)
  return {
    path,
    form,
    scores: {
      performance: score('performance'),
      accessibility: score('accessibility'),
      'best-practices': score('best-practices'),
    },
    metrics: Object.fromEntries(Object.entries(metrics).map(([name, id]) => [name, metric(id)])) as Record<
      Metric,
      number
    >,
    lost: lost.map(({ id }) => id),
  }
}

/** Opens the link as its page does. Returns the `Cookie` header of the session. */
async function signIn(link: string): Promise<string> {
  const { origin, hash } = new URL(link)
  const reply = await fetch(`${origin}/console/api/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: decodeURIComponent(hash.slice(1)) }),
  })
  const [cookie] = reply.headers.getSetCookie()
  if (!reply.ok || !cookie)
    throw new Error(`The link does not sign in (${reply.status}); it may have been used already.`)
  return cookie.split(';')[0]!
}

/** Returns the port of its debugger. */
async function startChromium(temporaryFolder: string, cleanup: Cleanup): Promise<number> {
  const program = findChromium()
  if (!program) throw new Error('Chromium was not found; set CHROMIUM_PATH.')
  const port = await pickFreePort()
  const profile = join(temporaryFolder, 'chromium')
  const isRoot = process.getuid?.() === 0
  const args = ['--headless=new', `--remote-debugging-port=${port}`, `--user-data-dir=${profile}`, 'about:blank']
  const child = spawn(program, isRoot ? ['--no-sandbox', ...args] : args, { stdio: 'ignore' })
  cleanup.add(async () => {
    const exited = once(child, 'exit')
    child.kill()
    await exited
  })
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const reply = await fetch(`http://127.0.0.1:${port}/json/version`).catch(() => undefined)
    if (reply?.ok) return port
    await delay(100)
  }
  throw new Error(`Chromium did not start: ${program}`)
}
