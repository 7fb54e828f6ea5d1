import { wordsOf } from '@storedex/search-index'
import { type Distribution, distributionOf, median } from '@storedex/testkit'
import { generateCatalogue } from '../catalogue/generate.ts'
import type { ResultOrder } from '../catalogue/result-order.ts'
import type { BenchTaxonomy } from '../catalogue/taxonomy.ts'
import type { Question } from '../engine.ts'
import { drawRandomSearches } from '../questions/random-searches.ts'
import type { OwnEngine } from './engine.ts'

const fuzzCount = 3_000
const fuzzPasses = 3
const changedStores = 50_000
const deltaPasses = 9

export interface DeltaFigures {
  changed: number
  buildMs: number
  /** Mean over the questions with the second segment, divided by the mean without. */
  slowdown: number
}

/** Times random searches: the median of the passes after a warm-up pass. */
export function timeRandomSearches(own: OwnEngine, taxonomy: BenchTaxonomy, stores: number): Distribution {
  const searches = drawRandomSearches(taxonomy, stores, fuzzCount).map((search) => own.prepare(search))
  for (const run of searches) run()
  const samples = searches.map((): number[] => [])
  for (let pass = 0; pass < fuzzPasses; pass++)
    for (const [index, run] of searches.entries()) samples[index]!.push(millisecondsOf(run))
  return distributionOf(samples.map(median))
}

/** Measures the slowdown by changed stores in a segment of their own. */
export function timeDelta(
  own: OwnEngine,
  order: ResultOrder,
  taxonomy: BenchTaxonomy,
  questions: readonly Question[],
): DeltaFigures {
  const [main] = own.segments as [OwnEngine['segments'][number]]
  const { size } = main.segment
  const changed = Math.min(changedStores, size >> 1)
  const fresh = generateCatalogue(taxonomy, changed, 2)
  fresh.ids.forEach((_, row) => {
    fresh.ids[row] = 1 + Math.floor((row * size) / changed)
  })
  const dead = new Int32Array(wordsOf(size))
  for (const id of fresh.ids) {
    const document = order.rankOf(id)
    dead[document >>> 5]! |= 1 << (document & 31)
  }
  const startedAtMs = performance.now()
  const delta = own.build(fresh)
  const buildMs = performance.now() - startedAtMs

  const searches = questions.map(({ search }) => own.prepare(search))
  const views = [own.segments, [{ ...main, dead }, delta]] as const
  const samples = views.map(() => searches.map((): number[] => []))
  for (let pass = 0; pass < deltaPasses; pass++)
    for (const [view, segments] of views.entries()) {
      own.segments = segments
      for (const [index, run] of searches.entries()) samples[view]![index]!.push(millisecondsOf(run))
    }
  own.segments = views[0]
  const [alone, together] = samples.map((times) => distributionOf(times.map(median)).mean) as [number, number]
  return { changed, buildMs, slowdown: together / alone }
}

function millisecondsOf(run: () => unknown): number {
  const startedAtMs = performance.now()
  run()
  return performance.now() - startedAtMs
}
