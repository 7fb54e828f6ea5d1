import { wordsOf } from '../../../server/src/search/memory/segment.ts'
import { type Distribution, distributionOf, median } from '../../support/statistics.ts'
import { generateCatalogue } from '../catalogue/generate.ts'
import type { ResultOrder } from '../catalogue/result-order.ts'
import type { BenchWords } from '../catalogue/taxonomy.ts'
import type { Question } from '../engine.ts'
import { fuzzSearches } from '../questions/random-searches.ts'
import type { OwnEngine } from './engine.ts'

const fuzzCount = 3_000
const fuzzPasses = 3
const changedStores = 50_000
const deltaPasses = 9

export interface DeltaFigures {
  changed: number
  buildMs: number
  /** Mean over the questions with the second segment, as a multiple of the mean without. */
  slowdown: number
}

/** Random searches, each counting by the middle one of its passes, after a pass that only warms. */
export function timeFuzz(own: OwnEngine, words: BenchWords, stores: number): Distribution {
  const asks = fuzzSearches(words, stores, fuzzCount).map((search) => own.prepare(search))
  for (const ask of asks) ask()
  const samples = asks.map((): number[] => [])
  for (let pass = 0; pass < fuzzPasses; pass++)
    for (const [index, ask] of asks.entries()) samples[index]!.push(millisecondsOf(ask))
  return distributionOf(samples.map(median))
}

/** What it costs that stores have changed and stand in a segment of their own. */
export function timeDelta(
  own: OwnEngine,
  ranks: ResultOrder,
  words: BenchWords,
  questions: readonly Question[],
): DeltaFigures {
  const [main] = own.segments as [OwnEngine['segments'][number]]
  const { size } = main.segment
  const changed = Math.min(changedStores, size >> 1)
  const fresh = generateCatalogue(words, changed, 2)
  fresh.ids.forEach((_, row) => {
    fresh.ids[row] = 1 + Math.floor((row * size) / changed)
  })
  const dead = new Int32Array(wordsOf(size))
  for (const id of fresh.ids) {
    const document = ranks.rankOf(id)
    dead[document >>> 5]! |= 1 << (document & 31)
  }
  const startedAtMs = performance.now()
  const delta = own.build(fresh)
  const buildMs = performance.now() - startedAtMs

  const asks = questions.map(({ search }) => own.prepare(search))
  const views = [own.segments, [{ ...main, dead }, delta]] as const
  const samples = views.map(() => asks.map((): number[] => []))
  for (let pass = 0; pass < deltaPasses; pass++)
    for (const [view, segments] of views.entries()) {
      own.segments = segments
      for (const [index, ask] of asks.entries()) samples[view]![index]!.push(millisecondsOf(ask))
    }
  own.segments = views[0]
  const [alone, together] = samples.map((times) => distributionOf(times.map(median)).mean) as [number, number]
  return { changed, buildMs, slowdown: together / alone }
}

function millisecondsOf(ask: () => unknown): number {
  const startedAtMs = performance.now()
  ask()
  return performance.now() - startedAtMs
}
