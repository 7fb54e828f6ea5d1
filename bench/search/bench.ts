import { cpus, totalmem } from 'node:os'
import { type Cleanup, timed } from '@storedex/testkit'
import { generateCatalogue } from './catalogue/generate.ts'
import { type BenchCatalogue, ResultOrder } from './catalogue/result-order.ts'
import { type BenchTaxonomy, readBenchTaxonomy } from './catalogue/taxonomy.ts'
import type { Engine } from './engine.ts'
import { openOwnEngine } from './own/engine.ts'
import { timeDelta, timeRandomSearches } from './own/figures.ts'
import { openPeers, type PeerName } from './peers/open.ts'
import { allQuestions } from './questions/questions.ts'
import type { EngineResults, SearchResults } from './report/results.ts'
import { timeQuestions } from './rounds.ts'

export interface SearchBenchOptions {
  stores: number
  rounds: number
  peers: readonly PeerName[]
}

/** Compares searches on the own engine and its peers over one generated catalogue. */
export async function benchSearch(
  { stores, rounds, peers: peerNames }: SearchBenchOptions,
  folder: string,
  cleanup: Cleanup,

  reportProgress: (progress: string) => void,
): Promise<SearchResults> {
  const taxonomy = await readBenchTaxonomy()
  const own = await openOwnEngine(folder)
  const peers = await openPeers(peerNames, folder, cleanup, reportProgress)
  const { order, ...loaded } = await loadAll([own, ...peers], taxonomy, stores, reportProgress)
  const questions = allQuestions(taxonomy, stores)
  const timings = await timeQuestions(own, peers, questions, rounds, reportProgress)
  return {
    stores,
    ...loaded,
    machine: describeMachine(),
    rounds,
    questions: timings.map(({ question: { name, about, class: kind }, ...times }) => ({
      name,
      about,
      class: kind,
      ...times,
    })),
    fuzz: timeRandomSearches(own, taxonomy, stores),
    delta: timeDelta(own, order, taxonomy, questions),
  }
}

/** Generates the catalogue and loads it into all engines. Its columns can be freed afterwards. */
async function loadAll(
  engines: readonly Engine[],
  taxonomy: BenchTaxonomy,
  stores: number,
  reportProgress: (progress: string) => void,
): Promise<Pick<SearchResults, 'contacts' | 'generateSeconds' | 'engines'> & { order: ResultOrder }> {
  const [staged, generateSeconds] = await timed(() => generateCatalogue(taxonomy, stores))
  const contacts = staged.contactRoles.length
  reportProgress(`${stores} stores with ${contacts} contacts generated in ${generateSeconds.toFixed(1)} s`)
  const catalogue: BenchCatalogue = { staged, terms: taxonomy.terms, order: new ResultOrder(staged) }
  const loaded: EngineResults[] = []
  for (const engine of engines) loaded.push(await load(engine, catalogue, reportProgress))
  return { contacts, generateSeconds, engines: loaded, order: catalogue.order }
}

async function load(engine: Engine, catalogue: BenchCatalogue, reportProgress: (progress: string) => void) {
  const [, loadSeconds] = await timed(() => engine.load(catalogue))
  const bytes = await engine.countBytes()
  reportProgress(`${engine.name}: loaded in ${loadSeconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(0)} MB`)
  return { name: engine.name, settings: [...engine.settings], loadSeconds, bytes }
}

function describeMachine(): SearchResults['machine'] {
  const processors = cpus()
  return {
    node: process.version,
    processor: processors[0]?.model ?? 'unknown',
    processors: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
  }
}
