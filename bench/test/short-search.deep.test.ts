import { expect, test } from 'vitest'
import type { CountResults } from '../counts/bench.ts'
import type { BadFilterFigures } from '../search/bad-filters/bench.ts'
import type { ExclusionFigures } from '../search/exclusion.ts'
import type { SearchResults } from '../search/report/results.ts'
import { benchTimeoutMs, figuresNamed, runShortBench } from './support/short-bench.ts'

test(
  'the bench of searches runs through',
  async () => {
    const { questions, engines, fuzz, delta } = await runShortBench<SearchResults>('search', '--report', 'REPORT')
    expect(engines.map(({ name }) => name)).toEqual(['Storedex'])
    expect(questions.length).toBeGreaterThanOrEqual(80)
    expect(Math.min(...questions.flatMap(({ first }) => first), fuzz.p50, delta.slowdown)).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the bench of counts runs through',
  async () => {
    const results = await runShortBench<CountResults>('counts', '--report', 'REPORT')
    expect(results.figures.map(({ engine }) => engine)).toEqual(['Storedex'])
    expect(Math.min(...figuresNamed(results, ['p50', 'questions', 'facetRequests']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the bench of exclusions runs through',
  async () => {
    const { sets, without } = await runShortBench<ExclusionFigures>('exclude')
    expect(sets.map(({ name }) => name)).toEqual(['random', 'first'])
    expect(Math.min(...figuresNamed([sets, without], ['meanMs', 'firstUseMs']))).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)

test(
  'the search for bad filters runs through',
  async () => {
    const { searches, worst, together } = await runShortBench<BadFilterFigures>('bad-filters')
    expect(Math.min(searches, together.turns, worst.totalMs.length, worst.longestSliceMs.length)).toBeGreaterThan(0)
  },
  benchTimeoutMs,
)
