import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { Random } from '../../catalogue/build/random.ts'
import type { StoreRecord } from '../../catalogue/build/store-record.ts'
import type { Cleanup } from '../cleanup.ts'
import { generateStores } from '../generate.ts'
import type { Place } from '../place.ts'
import { openProgram } from '../program.ts'
import { openAccounts } from './accounts.ts'
import { measureCosts } from './cost.ts'
import { startCountingProxy } from './counting-proxy.ts'
import { makeReport, type Report } from './report.ts'
import { runRounds } from './rounds.ts'
import { openSubjects } from './subjects.ts'
import { drawWorkload } from './workload.ts'

export interface ApiBenchOptions {
  stores: number
  /** Measured in each run, after its warm-up. */
  seconds: number
  rounds: number
  connections: number
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
  report(`importing ${options.stores} stores`)
  const stores = [...generateStores(options.stores)]
  const file = join(place.folder, 'stores.ndjson')
  await writeLines(file, stores)
  await program.run('import', 'stores', file)
  report(`opening ${accounts} accounts`)
  const keys = await openAccounts(program, accounts)
  const workload = drawWorkload(stores, new Random(2))

  report('counting what one request costs')
  const proxy = await startCountingProxy(place.databaseUrl, cleanup)
  const measured = await measureCosts(program, proxy, workload, keys[0]!)

  report('preparing requests')
  const service = await program.serve()
  const { connections, rounds, seconds } = options
  const subjects = await openSubjects(
    { place, plansFile, service, keys, workload, measured, proxy, connections },
    cleanup,
  )
  const timing = { warmupMs, measuredMs: seconds * 1000 }
  const results = await runRounds({ databaseUrl: place.databaseUrl, subjects, rounds, timing, report }, cleanup)
  return makeReport({ ...options, accounts }, results, measured.costs)
}

async function writeLines(file: string, records: Iterable<StoreRecord>): Promise<void> {
  const out = createWriteStream(file)
  for (const record of records) if (!out.write(`${JSON.stringify(record)}\n`)) await once(out, 'drain')
  out.end()
  await once(out, 'close')
}
