import { count, ms, table, times } from './markdown.ts'
import type { SearchResults } from './results.ts'
import { summarize } from './summary.ts'

/** What was aimed at, and at which size. */
const aimedSize = 5_000_000
const largerSize = 10_000_000

interface Aim {
  what: string
  aim: string
  found: string
  met: boolean
}

/** The aims that the kept results can tell of; none without a run of the size that they are for. */
export function renderAims(all: readonly SearchResults[]): string | null {
  const aimed = all.find(({ stores }) => stores === aimedSize)
  if (!aimed) return null
  const larger = all.find(({ stores }) => stores === largerSize)
  const aims = [...aimsAlone(aimed), ...aimsAgainstPeers(aimed), ...(larger ? aimsOfGrowth(aimed, larger) : [])]
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

function atMost(what: string, value: number, mostMs: number): Aim {
  return { what, aim: `at most ${mostMs} ms`, found: `${ms(value)} ms`, met: value <= mostMs }
}
