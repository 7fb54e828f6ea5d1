import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from '@storedex/testkit'
import { type Workspace, writeRecords } from '../../server/test/support/programs/workspace.ts'
import { generateStores } from '../../server/test/support/records/store-records.ts'
import { type Timing, timingOf } from '../api/load/stopwatch.ts'
import type { Operation } from '../api/load/workload.ts'
import type { CompareResults, Comparison, RoundOfOperation } from './results.ts'
import { type ComparedFigures, type ComparedServices, type Crowd, openServices, type SubjectName } from './services.ts'
import { type ComparedOptions, type ComparedVersions, openVersions, versionNames } from './versions.ts'

export interface CompareOptions extends ComparedOptions {
  rounds: number
  /** Numbers of connections, each measured with each number of accounts. */
  connections: readonly number[]
  accounts: readonly number[]
  operations: readonly Operation[]
  isShort: boolean
}

/** At most. */
const warmupMs = 400
/** Where the aims apply. */
const aimedConnections = 32
/** Operations that fetch whole documents, which the new version keeps in memory. */
const cachedOperations: readonly Operation[] = ['search', 'lookup']
/** Beside searches. */
const [importedStores, importedInShort] = [40_000, 2_000]

/**
 * Serves an old version and this one, each over its own copy of the same database, and loads them in turns. `keep` gets the
 * results so far after each round.
 */
export async function benchCompare(
  options: CompareOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  report: (progress: string) => void,
  keep: (results: CompareResults) => void,
): Promise<CompareResults> {
  const compared = await openVersions(options, workspace, cleanup, report)
  const { versions } = compared
  report('starting the services and preparing requests')
  const crowds = crowdsOf(options)
  const services = await openServices(compared, crowds, cleanup)
  for (const name of versionNames) await versions[name].database.settle()

  const { stores, seconds } = options
  const results: CompareResults = {
    stores,
    seconds,
    rounds: 0,
    date: new Date().toISOString().slice(0, 10),
    machine: { node: process.version, processor: cpus()[0]?.model.trim() ?? 'unknown', processors: cpus().length },
    commits: { old: versions.old.checkout.commit, new: versions.new.checkout.commit },
    comparisons: [],
    besideImport: [],
  }
  const timing = timingOf(seconds, warmupMs)
  for (let round = 0; round < options.rounds; round++) {
    for (const crowd of crowds)
      for (const operation of options.operations) {
        const figures = await measureInTurns(round, subjectsOf(operation, crowd), (subject) =>
          services.measureAnew(subject, operation, crowd, timing),
        )
        comparisonOf(results.comparisons, operation, crowd).rounds.push(figures)
        report(`round ${round + 1}, ${operation}, ${describe(crowd)}: ${describeRates(figures)}`)
      }
    results.rounds = round + 1
    keep(results)
  }
  await services.stop('uncached')
  const busiest = crowds.find(({ connections }) => connections === aimedConnections) ?? crowds[0]!
  for (let round = 0; round < options.rounds && options.operations.includes('search'); round++) {
    const figures = await measureInTurns(round, versionNames, (name) =>
      searchBesideImport(
        compared,
        services,
        name,
        busiest,
        timing,
        options.isShort ? importedInShort : importedStores,
        round,
      ),
    )
    results.besideImport.push(figures)
    report(
      `round ${round + 1}, search beside an import: p99 ${figures.old.p99Ms.toFixed(1)}, ${figures.new.p99Ms.toFixed(1)} ms`,
    )
  }
  keep(results)
  return results
}

/** One connection uses one account. */
function crowdsOf({ connections, accounts }: CompareOptions): Crowd[] {
  return connections.flatMap((count) =>
    accounts
      .filter((number) => number <= count)
      .sort((a, b) => b - a)
      .map((number) => ({ connections: count, accounts: number })),
  )
}

function subjectsOf(operation: Operation, { connections }: Crowd): readonly SubjectName[] {
  const isAlsoUncached = connections === aimedConnections && cachedOperations.includes(operation)
  return isAlsoUncached ? [...versionNames, 'uncached'] : versionNames
}

/** Every second round has the opposite order. */
async function measureInTurns<T extends string, R>(
  round: number,
  subjects: readonly T[],
  measure: (subject: T) => Promise<R>,
): Promise<Record<T, R>> {
  const measured: Partial<Record<T, R>> = {}
  for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) measured[subject] = await measure(subject)
  return measured as Record<T, R>
}

function comparisonOf(comparisons: Comparison[], operation: Operation, crowd: Crowd): Comparison {
  const existing = comparisons.find((each) => each.operation === operation && each.crowd === crowd)
  if (existing) return existing
  const made = { operation, crowd, rounds: [] }
  comparisons.push(made)
  return made
}

/** Searches while the version's own command imports new stores; the slowest p99 of whole runs within the import. */
async function searchBesideImport(
  { versions }: ComparedVersions,
  services: ComparedServices,
  name: (typeof versionNames)[number],
  crowd: Crowd,
  timing: Timing,
  stores: number,
  round: number,
): Promise<{ p50Ms: number; p99Ms: number; perSecond: number; importSeconds: number }> {
  const { workspace, program } = versions[name]
  const file = await writeRecords(
    join(workspace.folder, `more-stores-${name}.ndjson`),
    generateStores(stores, 100 + round),
  )
  const startedAtMs = performance.now()
  let importSeconds = 0
  const importing = program.run('import', 'stores', file).finally(() => {
    importSeconds = (performance.now() - startedAtMs) / 1_000
  })
  // The failure is thrown below, after the load has ended.
  importing.catch(() => {})
  const runs: ComparedFigures[] = []
  while (importSeconds === 0) {
    const run = await services.measure(name, 'search', crowd, timing)
    // Leave out the run in which the import ended.
    if (importSeconds === 0 || runs.length === 0) runs.push(run)
  }
  await importing
  const slowest = runs.reduce((worst, run) => (run.p99Ms > worst.p99Ms ? run : worst))
  const { p50Ms, p99Ms, perSecond } = slowest
  return { p50Ms, p99Ms, perSecond, importSeconds }
}

function describe({ connections, accounts }: Crowd): string {
  return `${connections} connections, ${accounts === 1 ? 'one account' : `${accounts} accounts`}`
}

function describeRates(figures: RoundOfOperation): string {
  const rates = Object.entries(figures).map(([name, { perSecond }]) => `${name} ${Math.round(perSecond)}`)
  return `${rates.join(', ')} a second`
}
