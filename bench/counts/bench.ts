import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { type CountPart, IdList, type LiveSegment, type StoreQuery } from '@storedex/search-index'
import { type Cleanup, type Distribution, distributionOf } from '@storedex/testkit'
import { planStoreCount } from '../../server/src/product/counts/count-stores.ts'
import { storeFacetNames } from '../../server/src/product/counts/schema.ts'
import { countJobOf } from '../../server/src/search/counting/counter.ts'
import { countInThreads } from '../../server/src/search/counting/thread-pool.ts'
import type { StoreSearchFilters } from '../../server/src/search/query/filters.ts'
import { generateCatalogue } from '../search/catalogue/generate.ts'
import { ResultOrder } from '../search/catalogue/result-order.ts'
import { type BenchTaxonomy, readBenchTaxonomy, valuesByRank } from '../search/catalogue/taxonomy.ts'
import { bundleOwnCode, type OwnCode } from '../search/own/engine.ts'
import { openPeers, type PeerName } from '../search/peers/open.ts'
import { storeQuestions } from '../search/questions/stores.ts'
import { type CountingPeer, countingPeer } from './peers.ts'

export interface CountOptions {
  stores: number
  rounds: number
  peers: readonly PeerName[]
  isShort: boolean
}

interface CountFigures {
  engine: string
  /** Milliseconds over the questions, of each the best of its rounds. */
  total: Distribution
  facets: Distribution
}

export interface CountResults {
  stores: number
  contacts: number
  questions: number
  rounds: number
  figures: CountFigures[]
  /** Milliseconds of searches in the main thread, alone and beside four facet requests at a time. */
  searches: { alone: Distribution; beside: Distribution; facetRequests: number }
}

interface CountQuestion {
  name: string
  total: CountPart[]
  facets: CountPart[]
  query: StoreQuery
  /** The query of each facet without its condition. */
  ofFacet: Map<(typeof storeFacetNames)[number], StoreQuery>
}

/** Compares counts of the index in memory with other engines, over one generated catalogue. */
export async function benchCounts(
  { stores, rounds, peers: peerNames, isShort }: CountOptions,
  folder: string,
  cleanup: Cleanup,
  reportProgress: (progress: string) => void,
): Promise<CountResults> {
  const taxonomy = await readBenchTaxonomy()
  const own = await bundleOwnCode(folder)
  const engines = await openPeers(peerNames, folder, cleanup, reportProgress)
  const staged = generateCatalogue(taxonomy, stores)
  const segments: LiveSegment[] = [{ segment: own.buildSegment(staged), dead: null }]
  reportProgress(`${stores} stores generated and indexed`)
  const catalogue = { staged, terms: taxonomy.terms, order: new ResultOrder(staged) }
  const peers: CountingPeer[] = []
  for (const engine of engines) {
    const peer = countingPeer(engine, taxonomy)
    if (!peer) continue
    await engine.load(catalogue)
    peers.push(peer)
    reportProgress(`${engine.name}: loaded`)
  }
  const questions = questionsOf(taxonomy)
  const figures = [timeOwn(own, segments, questions, rounds)]
  reportProgress('Storedex: counted')
  for (const peer of peers) {
    try {
      figures.push(await timePeer(peer, own, segments, questions))
      reportProgress(`${peer.name}: counted`)
    } catch (error) {
      if (error instanceof WrongCount) throw error
      reportProgress(`${peer.name} is left out, because a statement failed: ${error}`)
    }
  }
  const searches = await timeSearchesBeside(own, segments, questions, isShort ? shortSearchedMs : searchedMs, folder)
  return {
    stores,
    contacts: staged.contactRoles.length,
    questions: questions.length,
    rounds,
    figures,
    searches,
  }
}

/** The store searches of the bench of searches. */
function questionsOf(taxonomy: BenchTaxonomy): CountQuestion[] {
  const definitions = Object.values(storeQuestions(valuesByRank(taxonomy))).flat()
  return definitions.map(([name, , filters]: readonly [string, string, StoreSearchFilters]) => {
    const plan = (facets: (typeof storeFacetNames)[number][]) =>
      planStoreCount(taxonomy.vocabulary, 'all', { filters, facets })
    const ofFacet = new Map(
      storeFacetNames.map((facet) => {
        const { parts } = plan([facet])
        return [facet, parts.at(-1)!.store] as const
      }),
    )
    const { parts } = plan([])
    return { name, total: parts, facets: plan([...storeFacetNames]).parts, query: parts[0]!.store, ofFacet }
  })
}

function countOwn(own: OwnCode, segments: readonly LiveSegment[], parts: readonly CountPart[]) {
  const request = { exportedStores: null, revealedContacts: null, excludedContacts: [], verifiedOnly: false }
  return own.countMatches(segments, { ...request, parts }, () => {})
}

function timeOwn(
  own: OwnCode,
  segments: readonly LiveSegment[],
  questions: readonly CountQuestion[],
  rounds: number,
): CountFigures {
  const time = (kind: 'total' | 'facets') => {
    const times = questions.map((): number[] => [])
    // Two rounds more, for the compiler.
    for (let round = -2; round < rounds; round++)
      for (const [index, question] of questions.entries()) {
        const startedAt = performance.now()
        countOwn(own, segments, question[kind])
        if (round >= 0) times[index]!.push(performance.now() - startedAt)
      }
    return distributionOf(times.map((each) => Math.min(...each)))
  }
  return { engine: 'Storedex', total: time('total'), facets: time('facets') }
}

class WrongCount extends Error {}

/** What takes longer than this is not asked twice. */
const slowMs = 1_000

/** Each question twice, of which the better time counts: the first one reads what is not in memory. */
async function timePeer(
  peer: CountingPeer,
  own: OwnCode,
  segments: readonly LiveSegment[],
  questions: readonly CountQuestion[],
): Promise<CountFigures> {
  const better = async (work: () => Promise<unknown>) => {
    const times: number[] = []
    for (let run = 0; run < 2 && !(times[0]! > slowMs); run++) {
      const startedAt = performance.now()
      await work()
      times.push(performance.now() - startedAt)
    }
    return Math.min(...times)
  }
  const [totals, facets]: [number[], number[]] = [[], []]
  for (const question of questions) {
    const expected = countOwn(own, segments, question.total).parts[0]!.stores
    const counted = await peer.total(question.query)
    if (counted !== expected)
      throw new WrongCount(`${peer.name} counts ${counted} for ${question.name}, not ${expected}`)
    totals.push(await better(() => peer.total(question.query)))
    facets.push(
      await better(async () => {
        for (const [name, query] of question.ofFacet) await peer.facet(query, name)
      }),
    )
  }
  return { engine: peer.name, total: distributionOf(totals), facets: distributionOf(facets) }
}

const concurrentFacetRequests = 4
const [searchedMs, shortSearchedMs] = [10_000, 200]
const pageLimit = 26

/** Searches in this thread, alone and while four callers ask for facets one after another. */
async function timeSearchesBeside(
  own: OwnCode,
  segments: readonly LiveSegment[],
  questions: readonly CountQuestion[],
  forMs: number,
  folder: string,
): Promise<CountResults['searches']> {
  const counter = countInThreads(
    { file: await bundleCountThread(folder), execArgv: [] },
    { maxWaitMs: 600_000 },
  )(() => {})
  const view = { batch: 1, lists: { live: segments, test: [] } }
  counter.follow(view)
  const search = async () => {
    const times: number[] = []
    for (const end = performance.now() + forMs; performance.now() < end; )
      for (const { query } of questions) {
        const startedAt = performance.now()
        own.scanStores(segments, query, null, pageLimit)
        times.push(performance.now() - startedAt)
        await turn()
      }
    return distributionOf(times)
  }
  let facetRequests = 0
  let isDone = false
  await counter.count(jobOf(0))
  await search()
  const alone = await search()
  function jobOf(caller: number) {
    const { facets } = questions[facetRequests % questions.length]!
    const exported = { ids: new IdList(), count: 0 }
    const figures = { exported, revealed: null, verifiedOnly: false }
    return countJobOf(view, { mode: 'live', holder: `caller ${caller}`, signal: null, parts: facets, ...figures })
  }
  const callers = Array.from({ length: concurrentFacetRequests }, async (_, caller) => {
    for (; !isDone; facetRequests++) await counter.count(jobOf(caller))
  })
  const beside = await search()
  isDone = true
  await Promise.all(callers)
  await counter.close()
  return { alone, beside, facetRequests }
}

async function bundleCountThread(folder: string): Promise<string> {
  const esbuild = await import('esbuild')
  const outfile = join(folder, 'count-thread.mjs')
  const entryPoints = [join(import.meta.dirname, '../../server/src/program/bin/count-thread.ts')]
  await esbuild.build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20.19' })
  await esbuild.stop()
  return outfile
}
