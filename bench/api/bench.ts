import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { Random } from '../../catalogue/build/random.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { generateContacts, usualContactsPerStore } from '../support/contact-records.ts'
import { openProgram, type Program } from '../support/program.ts'
import { generateStores } from '../support/store-records.ts'
import type { Place } from '../support/workspace.ts'
import { openAccounts } from './accounts.ts'
import { measureCosts } from './cost.ts'
import { startCountingProxy } from './counting-proxy.ts'
import { openBenchDatabase } from './installation.ts'
import type { Engine } from './limits/searches.ts'
import { type Catalogue, drawWorkload, type Operation } from './load/workload.ts'
import { makeReport, type Report } from './report.ts'
import { runRounds } from './rounds.ts'
import { serveWith } from './serve.ts'
import { openSubjects } from './targets.ts'

export interface ApiBenchOptions {
  stores: number
  /** Measured in each run, after its warm-up. */
  seconds: number
  rounds: number
  connections: number
  engine: Engine
  operations: readonly Operation[]
}

const plansFile = resolve(import.meta.dirname, '../../plans.json')
const accounts = 8
const warmupMs = 700

/** How many requests the service answers, how fast, and how far that is from what HTTP and PostgreSQL alone would allow. */
export async function benchApi(
  options: ApiBenchOptions,
  place: Place,
  cleanup: Cleanup,
  report: (progress: string) => void,
): Promise<Report> {
  const program = openProgram(place, cleanup)
  report(`importing ${options.stores} stores and their people`)
  const catalogue = await importCatalogue(program, place.folder, options)
  report(`opening ${accounts} accounts`)
  const keys = await openAccounts(program, accounts)
  const database = await openBenchDatabase(place.databaseUrl, cleanup)
  const workload = drawWorkload(catalogue, await database.readRevealableContacts(), new Random(2))

  report('counting what one request costs')
  const proxy = await startCountingProxy(place.databaseUrl, cleanup)
  const measured = await measureCosts(
    (environment) => serveWith(options.engine, program, environment),
    proxy,
    database,
    workload,
    keys[0]!,
  )

  report('preparing requests')
  const service = await serveWith(options.engine, program)
  const { operations, ...settings } = options
  const { connections, engine, rounds, seconds } = settings
  const subjects = await openSubjects(
    { place, database, engine, plansFile, service, keys, workload, measured, proxy, connections },
    cleanup,
  )
  const timing = { warmupMs, measuredMs: seconds * 1000 }
  const results = await runRounds({ database, subjects, operations, rounds, timing, report })
  return makeReport({ ...settings, accounts }, results, measured.costs)
}

/** In a run everybody is revealed once at most; this is faster than any subject gets. */
const mostRevealedASecond = 40_000
/** Enough to draw searches from. */
const storesDrawnFrom = 10_000

/** Fills the service with what is asked of it, people enough for every reveal of a run. */
export async function importCatalogue(
  program: Program,
  folder: string,
  options: Pick<ApiBenchOptions, 'stores' | 'seconds'>,
): Promise<Catalogue> {
  const stores = [...generateStores(options.stores)]
  const neededInARun = mostRevealedASecond * (options.seconds + warmupMs / 1000)
  const perStore = Math.max(usualContactsPerStore, Math.ceil(neededInARun / options.stores))
  await importRecords(program, 'stores', join(folder, 'stores.ndjson'), stores)
  await importRecords(program, 'contacts', join(folder, 'contacts.ndjson'), generateContacts(stores, perStore))
  return { stores, contacts: [...generateContacts(stores.slice(0, storesDrawnFrom), perStore)] }
}

async function importRecords(program: Program, kind: string, file: string, records: Iterable<object>): Promise<void> {
  await writeLines(file, records)
  const { rejected } = await program.run<{ rejected: number }>('import', kind, file)
  if (rejected > 0) throw new Error(`${rejected} ${kind} of the bench were rejected`)
}

async function writeLines(file: string, records: Iterable<object>): Promise<void> {
  const out = createWriteStream(file)
  for (const record of records) if (!out.write(`${JSON.stringify(record)}\n`)) await once(out, 'drain')
  out.end()
  await once(out, 'close')
}
