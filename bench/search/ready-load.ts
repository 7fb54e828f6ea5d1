import { type Cleanup, median, splitEvenly, startWorker } from '@storedex/testkit'
import type { Request } from 'autocannon'
import type { Service } from '../../server/test/support/programs/program.ts'
import type { LoadTask } from '../api/load/load.worker.ts'
import { type Figures, timingOf } from '../api/load/stopwatch.ts'
import { type BenchTaxonomy, valuesByRank } from './catalogue/taxonomy.ts'
import { contactQuestions } from './questions/contacts.ts'
import { storeQuestions } from './questions/stores.ts'

export interface SearchLoadOptions {
  service: Service
  taxonomy: BenchTaxonomy
  keys: readonly string[]
  connections: number
  seconds: number
  /** How often the load without other work is measured. */
  quietRuns: number
}

/** Searches at full load, without other work and during an import; medians of the runs. */
export interface LoadFigures {
  connections: number
  quiet: { perSecond: number; p50Ms: number; p99Ms: number }
  besideImport: { perSecond: number; p50Ms: number; p99Ms: number }
  importSeconds: number
}

export interface SearchLoad {
  /** Measures without and then during `work`. */
  compare(work: () => Promise<unknown>, reportProgress: (progress: string) => void): Promise<LoadFigures>
}

/** At most. */
const warmupMs = 1_000

export async function openSearchLoad(options: SearchLoadOptions, cleanup: Cleanup): Promise<SearchLoad> {
  const { service, connections, seconds, quietRuns } = options
  const loader = startWorker<LoadTask, Figures>(new URL('../api/load/load.worker.ts', import.meta.url), cleanup)
  const task: LoadTask = {
    origin: new URL(service.api).origin,
    connections: splitEvenly(requestsOf(options), connections).map((repeated) => ({ repeated })),
    allowRepeats: false,
    timing: timingOf(seconds, warmupMs),
  }
  return {
    async compare(work, reportProgress) {
      const quiet: Figures[] = []
      for (let run = 0; run < quietRuns; run++) quiet.push(await loader.call(task))
      reportProgress(`quiet: p99 ${middle(quiet, 'p99Ms').toFixed(1)} ms`)

      const startedAtMs = performance.now()
      let importSeconds = 0
      const working = work().finally(() => {
        importSeconds = (performance.now() - startedAtMs) / 1_000
      })
      // The failure is thrown below, after the load has ended.
      working.catch(() => {})
      const beside: Figures[] = []
      while (importSeconds === 0) {
        const run = await loader.call(task)
        // Leave out the run in which the import ended.
        if (importSeconds === 0 || beside.length === 0) beside.push(run)
      }
      await working
      reportProgress(`beside an import: p99 ${middle(beside, 'p99Ms').toFixed(1)} ms`)
      return { connections, quiet: mediansOf(quiet), besideImport: mediansOf(beside), importSeconds }
    },
  }
}

/** The first pages of all questions, in a different order for each connection. */
function requestsOf({ taxonomy, keys, connections }: SearchLoadOptions): Request[] {
  const values = valuesByRank(taxonomy)
  const stores = Object.values(storeQuestions(values)).flatMap((definitions) =>
    definitions.map(([, , filters]) => ({ path: '/api/v1/stores/search', body: { filters, limit: 25 } })),
  )
  const contacts = contactQuestions(values).map(([, , { person, store, maxPerStore }]) => ({
    path: '/api/v1/contacts/search',
    body: { person, ...(store && { store }), max_contacts_per_store: Math.min(maxPerStore ?? 1, 10), limit: 25 },
  }))
  const searches = [...stores, ...contacts]
  return Array.from({ length: connections }, (_, connection) =>
    searches.map((_, index): Request => {
      // Seven has no divisor in common with the number of searches.
      const { path, body } = searches[(index * 7 + connection * 13) % searches.length]!
      const key = keys[connection % keys.length]!
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      return { method: 'POST', path, headers, body: JSON.stringify(body) }
    }),
  ).flat()
}

function mediansOf(runs: readonly Figures[]) {
  return {
    perSecond: middle(runs, 'perSecond'),
    p50Ms: middle(runs, 'p50Ms'),
    p99Ms: middle(runs, 'p99Ms'),
  }
}

function middle(runs: readonly Figures[], figure: 'perSecond' | 'p50Ms' | 'p99Ms'): number {
  return median(runs.map((run) => run[figure]))
}
