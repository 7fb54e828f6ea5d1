import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Cleanup } from '@storedex/testkit'
import pg from 'pg'
import { Random } from '../../catalogue/build/random.ts'
import { ensureInstallationSecret } from '../../server/src/foundation/db/installation.ts'
import { retryConflicts } from '../../server/src/foundation/db/pool.ts'
import { contactKey, createIdSealer } from '../../server/src/foundation/kernel/ids.ts'
import { openAccounts, openProgram, type Program } from '../../server/test/support/programs/program.ts'
import { type Workspace, writeRecords } from '../../server/test/support/programs/workspace.ts'
import { defaultContactsPerStore, generateContacts } from '../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../server/test/support/records/store-records.ts'
import type { Catalogue } from './load/filters.ts'
import { timingOf } from './load/stopwatch.ts'
import { drawWorkload, type RevealableContact, type Workload } from './load/workload.ts'

/** Direct access to the service's database. */
export interface BenchDatabase {
  /** Vacuums now; otherwise autovacuum would run during the rounds. */
  settle(): Promise<void>
  /** Deletes all usage, exports and reveals, and begins new periods, so that no service goes by what it remembers. */
  emptyLedger(): Promise<void>
  countExports(): Promise<number>
  readRevealableContacts(): Promise<RevealableContact[]>
  close(): Promise<void>
}

export async function openBenchDatabase(url: string, cleanup: Cleanup): Promise<BenchDatabase> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  cleanup.add(() => client.end())
  return {
    settle: async () => void (await client.query('vacuum analyze')),
    emptyLedger: async () => {
      await waitUntilIdle(client)
      await retryConflicts(() =>
        client.query(
          'truncate request_windows, usage_counters, key_counters, store_exports, reveals, idempotency, ledger',
        ),
      )
      await client.query(`update accounts set period_anchor = period_anchor - interval '1 second'`)
    },
    countExports: async () => {
      const { rows } = await client.query<{ count: string }>('select count(*) from store_exports')
      return Number(rows[0]!.count)
    },
    readRevealableContacts: async () => {
      const ids = createIdSealer(await ensureInstallationSecret(client))
      const { rows } = await client.query<{ store_id: string; number: number }>(
        'select store_id, number from contacts where revealable order by store_id, number',
      )
      const keys = rows.map((row) => contactKey(Number(row.store_id), row.number))
      const publicIds = ids.sealMany('contact', keys, 'live')
      return keys.map((key, index) => ({ key, id: publicIds[index]! }))
    },
    close: () => client.end(),
  }
}

/** The last requests of a load are still running when it ends and must not count in the next run. */
async function waitUntilIdle(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and state <> 'idle'`,
    )
    if (rows.length === 0) return
    await delay(20)
  }
}

/** At most. */
export const warmupMs = 700

interface InstallationOptions {
  stores: number
  seconds: number
  accounts: number
}

/** A filled installation whose service is not started yet. */
export interface BenchInstallation {
  program: Program
  /** A live key for each account. */
  keys: string[]
  database: BenchDatabase
  workload: Workload
}

/** Imports a catalogue, opens accounts, and draws the requests. */
export async function prepareInstallation(
  options: InstallationOptions,
  workspace: Workspace,
  cleanup: Cleanup,
  report: (progress: string) => void,
  program = openProgram(workspace, cleanup),
): Promise<BenchInstallation> {
  report(`importing ${options.stores} stores and their people`)
  const catalogue = await importCatalogue(program, workspace.folder, options)
  report(`opening ${options.accounts} accounts`)
  const keys = await openAccounts(program, options.accounts)
  const database = await openBenchDatabase(workspace.databaseUrl, cleanup)
  const workload = drawWorkload(catalogue, await database.readRevealableContacts(), new Random(2))
  return { program, keys, database, workload }
}

/** Above what any target reaches. Each contact is revealed at most once in a run. */
const maxRevealsPerSecond = 40_000
/** Stores whose contacts the searches are drawn from. */
const sampledStores = 10_000

/** Imports the catalogue, with enough contacts for every reveal of a run. */
async function importCatalogue(
  program: Program,
  folder: string,
  options: Pick<InstallationOptions, 'stores' | 'seconds'>,
): Promise<Catalogue> {
  const stores = [...generateStores(options.stores)]
  const timing = timingOf(options.seconds, warmupMs)
  const neededInARun = (maxRevealsPerSecond * (timing.warmupMs + timing.measuredMs)) / 1_000
  const perStore = Math.max(defaultContactsPerStore, Math.ceil(neededInARun / options.stores))
  await importRecords(program, 'stores', join(folder, 'stores.ndjson'), stores)
  await importRecords(program, 'contacts', join(folder, 'contacts.ndjson'), generateContacts(stores, perStore))
  return { stores, contacts: [...generateContacts(stores.slice(0, sampledStores), perStore)] }
}

async function importRecords(program: Program, kind: string, file: string, records: Iterable<object>): Promise<void> {
  await writeRecords(file, records)
  const { rejected } = await program.run<{ rejected: number }>('import', kind, file)
  if (rejected > 0) throw new Error(`${rejected} ${kind} of the bench were rejected`)
}
