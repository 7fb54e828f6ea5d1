import type { ReadyResults } from '../ready.ts'
import { type SearchResults, summarize } from './results.ts'
import { count, ms, table, times } from './tables.ts'

/** Sizes that the aims apply to. */
const aimedSize = 5_000_000
const largerSize = 10_000_000

interface Aim {
  what: string
  aim: string
  found: string
  met: boolean
}

/** The aims that the stored results cover; null without a run of their size. */
export function renderAims(all: readonly SearchResults[], ready: readonly ReadyResults[]): string | null {
  const ofSize = <T extends { stores: number }>(results: readonly T[], size: number) =>
    results.find(({ stores }) => stores === size)
  const [aimed, larger] = [ofSize(all, aimedSize), ofSize(all, largerSize)]
  const started = ofSize(ready, aimedSize)
  const aims = [
    ...(aimed ? [...aimsAlone(aimed), ...aimsAgainstPeers(aimed)] : []),
    ...(aimed && larger ? aimsOfGrowth(aimed, larger) : []),
    ...(started ? aimsOfService(started) : []),
  ]
  if (aims.length === 0) return null
  return [
    '## What was aimed at',
    table(
      [`At ${count(aimedSize)} stores, unless said otherwise`, 'aim', 'found', ''],
      aims.map(({ what, aim, found, met }) => [what, aim, found, met ? 'met' : '**missed**']),
    ),
  ].join('\n\n')
}

function aimsAlone(results: SearchResults): Aim[] {
  const { first, deep } = summarize(results)
  const megabytesPerMillion = results.engines[0]!.bytes / results.stores
  const pages = [{ name: 'first page', of: first[0]! }, ...(deep ? [{ name: 'page 200', of: deep[0]! }] : [])]
  return [
    ...pages.flatMap(({ name, of }) => [
      atMost(`median over the searches, ${name}`, of.p50, 0.15),
      atMost(`worst search, ${name}`, of.max, 6),
    ]),
    atMost('p99 of 3,000 random searches', results.fuzz.p99, 15),
    {
      what: 'memory for a million stores with their contacts',
      aim: 'at most 120 MB',
      found: `${count(megabytesPerMillion)} MB`,
      met: megabytesPerMillion <= 120,
    },
  ]
}

function aimsAgainstPeers(results: SearchResults): Aim[] {
  const { againstPeers } = summarize(results)
  if (!againstPeers) return []
  const { meanRatio, worstRatio, largestLossMs } = againstPeers
  return [
    {
      what: 'slower than the fastest peer on some page by',
      aim: 'at most 1 ms',
      found: largestLossMs > 0 ? `${ms(largestLossMs)} ms` : 'never slower',
      met: largestLossMs <= 1,
    },
    { what: "the best peer's mean", aim: 'at least 100 times', found: times(meanRatio), met: meanRatio >= 100 },
    {
      what: "the best peer's worst search",
      aim: 'at least 300 times',
      found: times(worstRatio),
      met: worstRatio >= 300,
    },
  ]
}

function aimsOfGrowth(aimed: SearchResults, larger: SearchResults): Aim[] {
  const [small, large] = [summarize(aimed).first[0]!, summarize(larger).first[0]!]
  const grown = (what: string, ratio: number, most: number): Aim => ({
    what: `${what} at ${count(largerSize)} stores over that here`,
    aim: `at most ${most} times`,
    found: times(ratio),
    met: ratio <= most,
  })
  return [grown('median', large.p50 / small.p50, 1.5), grown('worst search', large.max / small.max, 2.5)]
}

function aimsOfService({ fromPostgresSeconds, fromSnapshotSeconds, changeFoundSeconds, load }: ReadyResults): Aim[] {
  const within = (what: string, seconds: number, most: number): Aim => ({
    what,
    aim: `within ${most} s`,
    found: `${seconds.toFixed(1)} s`,
    met: seconds <= most,
  })
  const slowdown = load.besideImport.p99Ms / load.quiet.p99Ms
  return [
    within('from start to searches in memory, from PostgreSQL', fromPostgresSeconds, 60),
    within('the same from a snapshot', fromSnapshotSeconds, 5),
    within('a changed store is found after its import has committed', changeFoundSeconds, 2),
    {
      what: 'p99 of searches at full load beside an import, over that without',
      aim: 'at most 2 times',
      found: times(slowdown),
      met: slowdown <= 2,
    },
  ]
}

function atMost(what: string, value: number, maxMs: number): Aim {
  return { what, aim: `at most ${maxMs} ms`, found: `${ms(value)} ms`, met: value <= maxMs }
}
