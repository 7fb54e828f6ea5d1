import type { IdList, IdSet } from '@storedex/search-index'
import type { Cleanup } from '@storedex/testkit'
import { openTemporaryFolder } from '../../server/test/support/programs/workspace.ts'
import { generateCatalogue } from './catalogue/generate.ts'
import { readBenchTaxonomy } from './catalogue/taxonomy.ts'
import type { Search } from './engine.ts'
import { openOwnEngine } from './own/engine.ts'
import { drawRandomSearches } from './questions/random-searches.ts'

export interface ExclusionFigures {
  stores: number
  excluded: number
  /** Which stores: drawn at random, or the first of the catalogue's order, where broad searches begin. */
  sets: { name: 'random' | 'first'; firstUseMs: number; addedMs: number; pages: PageTimes }[]
  without: PageTimes
}

interface PageTimes {
  meanMs: number
  p50Ms: number
  p99Ms: number
}

const searchCount = 600
const rounds = 5
const addedStores = 25

/** First pages of random searches, with and without exported stores that are left out. */
export async function benchExclusion(
  options: { stores: number; excluded: number },
  cleanup: Cleanup,
): Promise<ExclusionFigures> {
  const { stores, excluded } = options
  const taxonomy = await readBenchTaxonomy()
  const engine = await openOwnEngine(await openTemporaryFolder(cleanup))
  const { withoutStores, scanStores, IdList: Ids } = engine.code
  const live = engine.build(generateCatalogue(taxonomy, stores))
  const searches = drawRandomSearches(taxonomy, stores, searchCount).filter((search) => search.kind === 'stores')
  const page = (sets: readonly IdSet[]) => (search: Extract<Search, { kind: 'stores' }>) =>
    scanStores(withoutStores([live], sets), search.query, search.after, search.limit)

  const ids = live.segment.ids
  const step = Math.max(1, Math.floor(stores / (excluded + addedStores)))
  const chosen = {
    random: Array.from({ length: excluded + addedStores }, (_, at) => ids[(at * 7_919 * step) % stores]!),
    first: Array.from(ids.subarray(0, excluded + addedStores)),
  }
  const timeOf = (work: () => void) => {
    const before = performance.now()
    work()
    return performance.now() - before
  }
  const measure = (sets: readonly IdSet[]): PageTimes => {
    const run = page(sets)
    const best = searches.map((search) =>
      Math.min(...Array.from({ length: rounds }, () => timeOf(() => void run(search)))),
    )
    best.sort((a, b) => a - b)
    const at = (share: number) => best[Math.floor(share * (best.length - 1))]!
    return { meanMs: best.reduce((sum, ms) => sum + ms, 0) / best.length, p50Ms: at(0.5), p99Ms: at(0.99) }
  }
  measure([])
  const without = measure([])
  const sets = (['random', 'first'] as const).map((name) => {
    const list: IdList = new Ids(chosen[name].slice(0, excluded))
    const first = [{ ids: list, count: excluded }]
    const firstUseMs = timeOf(() => void withoutStores([live], first))
    const pages = measure(first)
    list.append(chosen[name].slice(excluded))
    const addedMs = timeOf(() => void withoutStores([live], [{ ids: list, count: list.length }]))
    return { name, firstUseMs, addedMs, pages }
  })
  return { stores, excluded, sets, without }
}

export function renderExclusion({ stores, excluded, sets, without }: ExclusionFigures): string {
  const cells = ({ meanMs, p50Ms, p99Ms }: PageTimes) => [meanMs, p50Ms, p99Ms].map((ms) => ms.toFixed(3)).join(' | ')
  const rows = sets.map(({ name, pages, firstUseMs, addedMs }) =>
    [name, cells(pages), (pages.meanMs / without.meanMs).toFixed(2), firstUseMs.toFixed(1), addedMs.toFixed(2)].join(
      ' | ',
    ),
  )
  return [
    `First pages of ${searchCount} random searches at ${stores} stores, ${excluded} of them excluded, in milliseconds:`,
    '',
    '| excluded | mean | p50 | p99 | mean, times none | first use | 25 more |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    `| none | ${cells(without)} | 1 | | |`,
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}
