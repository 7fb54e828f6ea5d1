import type { Distribution } from '@storedex/testkit'
import type { LoopBlocks } from '../../support/loop-blocks.ts'
import type { ReadyResults } from '../ready.ts'
import { type SearchResults, summarize } from './results.ts'

const worstShown = 12

/** The report's section about one size, in Markdown. */
export function renderSize(results: SearchResults): string {
  return [
    `## ${count(results.stores)} stores, ${count(results.contacts)} contacts`,
    renderEngines(results),
    renderComparison(results),
    renderClasses(results),
    renderWorst(results),
    renderOwn(results),
  ].join('\n\n')
}

const figures = ({ p50, p95, max, mean }: Distribution) => [p50, p95, max, mean].map(ms)

function renderEngines(results: SearchResults): string {
  const { first, deep } = summarize(results)
  const pages = (name: string, distributions: Distribution[]) =>
    table(
      [`${name}, ms`, 'median', 'p95', 'worst', 'mean', 'loaded in', 'takes'],
      results.engines.map((engine, index) => [
        engine.name,
        ...figures(distributions[index]!),
        `${engine.loadSeconds.toFixed(1)} s`,
        megabytes(engine.bytes),
      ]),
    )
  const firstPage = pages(`First page of ${results.questions.length} searches`, first)
  const withDeep = results.questions.filter((question) => question.deep).length
  return deep ? `${firstPage}\n\n${pages(`Page 200 of the ${withDeep} that have one`, deep)}` : firstPage
}

function renderComparison(results: SearchResults): string {
  const { againstPeers } = summarize(results)
  if (!againstPeers) return 'No peers were asked in this run.'
  const { meanRatio, worstRatio, largestLossMs, largestLossAt } = againstPeers
  const lost =
    largestLossMs > 0
      ? `Where it loses most, at ${largestLossAt}, it takes ${ms(largestLossMs)} ms more than the fastest peer there`
      : 'It is the fastest on every page'
  return `The mean of the best peer is ${times(meanRatio)} that of Storedex, the worst search of the best peer ${times(worstRatio)}. ${lost}.`
}

function renderClasses(results: SearchResults): string {
  const { classes } = summarize(results)
  return table(
    ['First page: median / worst, ms', ...results.engines.map(({ name }) => name)],
    classes.map(({ name, questions, first }) => [
      `${name} (${questions})`,
      ...first.map(({ p50, max }) => `${ms(p50)} / ${ms(max)}`),
    ]),
  )
}

/** The slowest searches of the own engine and of the peers. */
function renderWorst({ engines, questions }: SearchResults): string {
  const slowest = (of: (times: readonly number[]) => number) =>
    [...questions].sort((a, b) => of(b.first) - of(a.first)).slice(0, worstShown / 2)
  const shown = new Set([...slowest(([own]) => own!), ...slowest((times) => Math.max(...times.slice(1)))])
  return table(
    ['Slowest first pages, ms', ...engines.map(({ name }) => name)],
    [...shown].map(({ name, about, first }) => [`${name}: ${about}`, ...first.map(ms)]),
  )
}

function renderOwn({ stores, engines, fuzz, delta, generateSeconds }: SearchResults): string {
  const [own] = engines
  const perStore = own!.bytes / stores
  return [
    `- 3,000 random searches, up to 50 values a list, 101 rows: median ${ms(fuzz.p50)} ms, p95 ${ms(fuzz.p95)}, p99 ${ms(fuzz.p99)}, worst ${ms(fuzz.max)}, mean ${ms(fuzz.mean)}.`,
    `- Built from columns in ${own!.loadSeconds.toFixed(1)} s; ${megabytes(own!.bytes)}, ${perStore.toFixed(0)} bytes for a store with its contacts. Generated in ${generateSeconds.toFixed(1)} s.`,
    `- With ${count(delta.changed)} changed stores in a segment of their own, built in ${ms(delta.buildMs)} ms, the mean is ${times(delta.slowdown)} that of one segment.`,
  ].join('\n')
}

/** Start times, memory and freshness for each size, in Markdown. */
export function renderReady(all: readonly ReadyResults[]): string {
  const row = (what: string, figureOf: (results: ReadyResults) => string) => [what, ...all.map(figureOf)]
  const load = ({ perSecond, p50Ms, p99Ms }: ReadyResults['load']['quiet']) =>
    `${count(perSecond)} a second, p50 ${ms(p50Ms)} ms, p99 ${ms(p99Ms)} ms`
  return [
    '## The service',
    table(
      ['', ...all.map(({ stores, contacts }) => `${count(stores)} stores, ${count(contacts)} contacts`)],
      [
        row('from start to searches in memory, from PostgreSQL', (one) => `${one.fromPostgresSeconds.toFixed(1)} s`),
        row('the same from a snapshot', (one) => `${one.fromSnapshotSeconds.toFixed(1)} s`),
        row('a changed store is found after', (one) => `${one.changeFoundSeconds.toFixed(2)} s`),
        row('index', (one) => megabytes(one.indexBytes)),
        row('snapshot file', (one) => megabytes(one.snapshotBytes)),
        row('whole process, resident', (one) => megabytes(one.residentBytes)),
        row('searches at full load', (one) => load(one.load.quiet)),
        row('the same beside an import of 100,000 stores', (one) => load(one.load.besideImport)),
        row('that import took', (one) => `${one.load.importSeconds.toFixed(1)} s`),
        row('searches of one connection, p50 / p99 / longest', ({ serial }) => durations(serial?.searches)),
        row('counts of one connection', ({ serial }) => durations(serial?.totals)),
        row('nine facets of one connection', ({ serial }) => durations(serial?.facets)),
        row('longest block of the event loop during these', ({ blocks }) => longestBlock(blocks?.serial)),
        row('the same at full load and beside the import', ({ blocks }) => longestBlock(blocks?.load)),
      ],
    ),
    'A block of the event loop counts by the processor time of its thread; the number in parentheses is the time that passed, other work on the machine included. A block is a whole turn of the loop: with sixteen connections, a turn serves 30 to 60 callbacks of different requests, and the longest ones collect garbage.',
    'A change is timed from the commit of its import until a search finds the store by its new attributes, and no longer by the old ones. The load consists of the first pages of all searches of the set over HTTP, each charged to an account; load, import, service and PostgreSQL share the processors.',
  ].join('\n\n')
}

function durations(distribution: Distribution | undefined): string {
  return distribution ? `${ms(distribution.p50)} / ${ms(distribution.p99)} / ${ms(distribution.max)} ms` : '–'
}

function longestBlock(blocks: LoopBlocks | undefined): string {
  if (!blocks) return '–'
  const { longestOwnMs, longestMs, ownOver5Ms, longestGcMs } = blocks
  const collection = longestGcMs === undefined ? '' : `; garbage at most ${ms(longestGcMs)} ms`
  return `${ms(longestOwnMs)} ms (${ms(longestMs)}), ${ownOver5Ms} over 5 ms${collection}`
}

/** A table in Markdown; all columns but the first are right-aligned. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = header.map((_, column) => (column === 0 ? '---' : '--:'))
  return [line(header), line(rule), ...rows.map(line)].join('\n')
}

/** Milliseconds with three significant digits. */
export function ms(value: number): string {
  if (value >= 100) return count(value)
  return value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : value.toFixed(3)
}

export function times(ratio: number): string {
  return ratio >= 10 ? `${count(ratio)} times` : `${ratio.toFixed(2)} times`
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function megabytes(bytes: number): string {
  return `${count(bytes / 1e6)} MB`
}
