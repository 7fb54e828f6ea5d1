import { expect, test } from 'vitest'
import { renderAims } from '../search/report/aims.ts'
import { growthChart, stripChart } from '../search/report/plots.ts'
import { type SearchResults, summarize } from '../search/report/results.ts'
import { renderSize } from '../search/report/tables.ts'

const engine = (name: string) => ({ name, settings: [], loadSeconds: 1, bytes: 100 * 5_000_000 })
const even = { p50: 1, p95: 1, p99: 1, max: 1, mean: 1 }
const results: SearchResults = {
  stores: 5_000_000,
  contacts: 15_000_000,
  machine: { node: 'v20', processor: 'any', processors: 2, memoryGb: 24 },
  rounds: 7,
  generateSeconds: 1,
  engines: [engine('Storedex'), engine('One'), engine('Other')],
  questions: [
    { name: 'B1', about: 'broad', class: 'broad', rows: 26, first: [0.1, 10, 2_000], deep: [0.1, 10, 40] },
    { name: 'N1', about: 'narrow', class: 'narrow', rows: 3, first: [0.3, 2_000, 20], deep: null },
    { name: 'X1', about: 'adversarial', class: 'adversarial', rows: 0, first: [3, 1.5, 2.5], deep: null },
  ],
  fuzz: even,
  delta: { changed: 50_000, buildMs: 100, slowdown: 1.2 },
}

test('ratios compare with the best peer: lowest mean, lowest worst search, fastest on each page', () => {
  const { againstPeers, first } = summarize(results)
  expect(first.map(({ max }) => max)).toEqual([3, 2_000, 2_000])
  expect(againstPeers?.meanRatio).toBeCloseTo(2_011.5 / 3.4)
  expect(againstPeers?.worstRatio).toBeCloseTo(2_000 / 3)
  expect(againstPeers).toMatchObject({ largestLossMs: 1.5, largestLossAt: 'X1' })
})

test('a run without peers has no comparison', () => {
  const alone = results.questions.map((question) => ({ ...question, first: [1], deep: null }))
  expect(summarize({ ...results, engines: [engine('Storedex')], questions: alone }).againstPeers).toBeNull()
})

test('the report lists each aim as met or missed, and none for a size without aims', () => {
  const lines = renderAims([results], [])!.split('\n')
  const lineOf = (what: string) => lines.find((line) => line.includes(what))
  expect(lineOf('worst search, first page')).toContain('| 3.00 ms | met |')
  expect(lineOf('slower than the fastest peer')).toContain('| 1.50 ms | **missed** |')
  expect(renderAims([{ ...results, stores: 1_000 }], [])).toBeNull()
})

test('each engine has a row in the tables and in the charts', () => {
  const points = [[1_000, 0.1] as const, [5_000, 0.2] as const]
  const series = results.engines.map(({ name }) => ({ label: name, values: [1, 2], points }))
  for (const text of [renderSize(results), stripChart('Some', series), growthChart('Some', series)])
    for (const { name } of results.engines) expect(text).toContain(name)
})
