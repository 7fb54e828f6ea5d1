import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LiveSegment } from '@storedex/search-index'
import { type Cleanup, type Distribution, distributionOf } from '@storedex/testkit'
import type { Pace, SlicedWork } from '@storedex/work'
import { Random } from '../../../catalogue/build/random.ts'
import { openTemporaryFolder } from '../../../server/test/support/programs/workspace.ts'
import { generateCatalogue } from '../catalogue/generate.ts'
import { readBenchTaxonomy } from '../catalogue/taxonomy.ts'
import type { Search } from '../engine.ts'
import { type OwnCode, openOwnEngine } from '../own/engine.ts'
import { drawRandomSearches } from '../questions/random-searches.ts'
import { type BadSearch, SearchOpener } from './bad-search.ts'
import { type Aim, Climb, type Measured, type SearchCost } from './climb.ts'
import { SearchMutator } from './mutate.ts'

interface WorstSearch extends Measured {
  /** Work of the whole search, and the most between two places where it could pause, in the units of a pace. */
  units: number
  mostUnits: number
}

export interface BadFilterFigures {
  stores: number
  minutes: number
  searches: number
  restarts: number
  /** Of random searches, in milliseconds of processor time. */
  random: Distribution
  worst: Record<Aim, WorstSearch[]>
  /** The worst searches all at once: processor time of the longest turn of the event loop, and the seconds until all had ended. */
  together: { searches: number; longestTurnMs: number; turns: number; seconds: number }
}

const [randomSearches, shortRandomSearches] = [3_000, 200]
const searchesTogether = 24
const reported = 5
const verifications = 15
const roundsTogether = 5
/** As the service's scheduler. */
const turnMs = 2

/** Looks for the filters that cost most, and measures how long they keep the event loop. */
export async function benchBadFilters(
  { stores, minutes, seed, isShort }: { stores: number; minutes: number; seed: number; isShort: boolean },
  cleanup: Cleanup,
  reportProgress: (line: string) => void,
): Promise<BadFilterFigures> {
  const taxonomy = await readBenchTaxonomy()
  const { code, build } = await openOwnEngine(openTemporaryFolder(cleanup))
  const live = build(generateCatalogue(taxonomy, stores))
  reportProgress(`${stores} stores generated`)
  const opener = new SearchOpener(taxonomy, live, code.IdList)
  const slicer = new Slicer(code, live)
  const random = drawRandomSearches(taxonomy, stores, isShort ? shortRandomSearches : randomSearches)
  for (const search of random) slicer.measure(search)
  const times = random.map((search) => Math.min(slicer.measure(search).totalMs, slicer.measure(search).totalMs))

  const dice = new Random(seed)
  const mutator = new SearchMutator(taxonomy, dice)
  let searches = 0
  const measure = (bad: BadSearch) => {
    const search = opener.open(bad)
    searches++
    return search && slicer.measure(search)
  }
  const climbs = (['totalMs', 'longestSliceMs'] as const).map((aim) => new Climb(mutator, dice, measure, aim))
  const end = performance.now() + minutes * 60_000
  for (let step = 0; performance.now() < end; step++) {
    for (const climb of climbs) climb.step()
    if (step % 100 > 0) continue
    await nextTurn()
    if (step % 1_000 === 0) reportProgress(climbs.map(({ worst }) => describe(worst[0]!)).join(' | '))
  }
  const [byTotal, bySlice] = climbs.map(({ worst, aim }) =>
    worst
      .map(({ search: bad }): WorstSearch => {
        const search = opener.open(bad)!
        return { search: bad, ...slicer.measureBest(search), ...slicer.countUnits(search) }
      })
      .sort((a, b) => b[aim] - a[aim])
      .slice(0, reported),
  ) as [WorstSearch[], WorstSearch[]]
  const all = climbs.flatMap(({ worst }) => worst.map(({ search }) => opener.open(search)!)).slice(0, searchesTogether)
  let together = await slicer.runTogether(all)
  for (let round = 1; round < roundsTogether; round++) {
    const again = await slicer.runTogether(all)
    if (again.longestTurnMs < together.longestTurnMs) together = again
  }
  return {
    stores,
    minutes,
    searches,
    restarts: climbs.reduce((sum, { restarts }) => sum + restarts, 0),
    random: distributionOf(times),
    worst: { totalMs: byTotal, longestSliceMs: bySlice },
    together,
  }
}

function describe({ totalMs, longestSliceMs }: Measured): string {
  return `${totalMs.toFixed(1)} ms, longest slice ${longestSliceMs.toFixed(2)} ms`
}

/**
 * Processor time of this process in milliseconds. On a busy machine a process also waits for a processor, which says nothing
 * about a search.
 */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Runs searches in slices, as the service does. */
class Slicer {
  readonly #code: OwnCode
  readonly #live: LiveSegment
  readonly #pace: Pace
  #end = 0

  constructor(code: OwnCode, live: LiveSegment) {
    this.#code = code
    this.#live = live
    this.#pace = new code.Pace(() => processorMs() >= this.#end)
  }

  measure(search: Search): SearchCost {
    const work = this.#workOf(search)
    let [totalMs, longestSliceMs] = [0, 0]
    for (let result: unknown; result === undefined; ) {
      const startedAtMs = processorMs()
      this.#end = startedAtMs + turnMs
      this.#pace.begin()
      result = work.advance(this.#pace)
      const ms = processorMs() - startedAtMs
      totalMs += ms
      longestSliceMs = Math.max(longestSliceMs, ms)
    }
    return { totalMs, longestSliceMs }
  }

  /** Of many runs, so that garbage collection and compilation in other threads do not count. */
  measureBest(search: Search): SearchCost {
    const costs = Array.from({ length: verifications }, () => this.measure(search))
    return {
      totalMs: Math.min(...costs.map(({ totalMs }) => totalMs)),
      longestSliceMs: Math.min(...costs.map(({ longestSliceMs }) => longestSliceMs)),
    }
  }

  /** Counts the work between any two places where a search could pause. */
  countUnits(search: Search): { units: number; mostUnits: number } {
    const counts = { units: 0, mostUnits: 0 }
    const { Pace: PaceOfCode } = this.#code
    const pace = new (class extends PaceOfCode {
      override spend(units: number): boolean {
        counts.units += units
        counts.mostUnits = Math.max(counts.mostUnits, units)
        return false
      }
    })(() => false)
    this.#workOf(search).advance(pace)
    return counts
  }

  /** Starts all searches in one turn of the event loop, with the service's scheduler. */
  async runTogether(searches: readonly Search[]): Promise<BadFilterFigures['together']> {
    const scheduler = new this.#code.SliceScheduler()
    const startedAtMs = performance.now()
    let before = processorMs()
    const running = searches.map((search) => scheduler.run(this.#workOf(search)))
    let left = running.length
    for (const each of running) void Promise.resolve(each).then(() => left--)
    let longestTurnMs = 0
    let turns = 0
    for (; left > 0; turns++) {
      await nextTurn()
      const now = processorMs()
      longestTurnMs = Math.max(longestTurnMs, now - before)
      before = now
    }
    return { searches: searches.length, longestTurnMs, turns, seconds: (performance.now() - startedAtMs) / 1_000 }
  }

  #workOf(search: Search): SlicedWork<unknown> {
    return search.kind === 'stores'
      ? this.#code.storeScanOf([this.#live], search)
      : this.#code.contactScanOf([this.#live], search)
  }
}

export function renderBadFilters(figures: BadFilterFigures): string {
  const { stores, searches, minutes, random, worst, together, restarts } = figures
  const row = ({ totalMs, longestSliceMs, units, mostUnits, search }: WorstSearch) =>
    `| ${totalMs.toFixed(1)} | ${longestSliceMs.toFixed(2)} | ${Math.round(units)} | ${Math.round(mostUnits)} | \`${JSON.stringify(search)}\` |`
  return [
    `${searches} searches over ${stores} stores in ${minutes} minutes, ${restarts} restarts; milliseconds of processor time. Random searches: p50 ${random.p50.toFixed(3)} ms, p99 ${random.p99.toFixed(2)} ms, worst ${random.max.toFixed(1)} ms.`,
    '',
    '| total ms | longest slice ms | units | most units without a pause | search |',
    '| ---: | ---: | ---: | ---: | --- |',
    ...[...worst.totalMs, ...worst.longestSliceMs].map(row),
    '',
    `The ${together.searches} worst at once: the longest turn of the event loop took ${together.longestTurnMs.toFixed(2)} ms, in ${together.turns} turns and ${together.seconds.toFixed(2)} s.`,
  ].join('\n')
}
