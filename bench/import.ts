/**
 * Measures speed, processor time and memory of imports, compared with PostgreSQL's lower limit for the same rows: one COPY
 * into a table without indexes. Stores and contacts, each as NDJSON and as CSV, each new to the catalogue. Fills the given
 * database, which should be empty and used for nothing else but a service that `--metrics` names.
 *
 *   npm run bench -- import [--stores 200000] [--contacts 300000] [--serving]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import copyStreams from 'pg-copy-streams'
import { importContacts } from '../server/src/catalogue/imports/contacts/import-contacts.ts'
import type { ImportContext, ImportResult } from '../server/src/catalogue/imports/records/import-file.ts'
import { importStores } from '../server/src/catalogue/imports/stores/import-stores.ts'
import { readInThread } from '../server/src/catalogue/imports/threads/read-in-thread.ts'
import { ensureInstallationSecret } from '../server/src/foundation/db/installation.ts'
import { openContactSeals } from '../server/src/foundation/encryption/keyring.ts'
import { createIdSealer } from '../server/src/foundation/kernel/ids.ts'
import { systemClock } from '../server/src/foundation/kernel/time.ts'
import { threadProgram } from '../server/src/program/serving/programs.ts'
import { syncTaxonomy } from '../server/src/search/taxonomy/sync-taxonomy.ts'
import { generateContacts } from '../server/test/support/records/contact-records.ts'
import { generateStores } from '../server/test/support/records/store-records.ts'
import { csvRows } from './support/csv-records.ts'
import { openServerClock } from './support/processor-time.ts'
import { timed } from './support/statistics.ts'
import { openMigratedDatabase, writeLines, writeRecords } from './support/workspace.ts'

type Table = 'stores' | 'contacts'

const project = join(import.meta.dirname, '..')
const { url, dataDir, metrics, storeCount, contactCount } = readArguments()
const folder = await mkdtemp(join(tmpdir(), 'storedex-bench-'))
const db = await openMigratedDatabase(url, 600_000)
try {
  await syncTaxonomy(db, join(project, 'catalogue/taxonomy'))
  const context: ImportContext = {
    db,
    clock: systemClock,
    ids: createIdSealer(await ensureInstallationSecret(db)),
    seals: await openContactSeals(db, null, dataDir ?? folder),
    startReading: readInThread(threadProgram('reading-thread')),
  }
  const serverClock = await openServerClock(db)
  const results: Record<string, object> = {}
  // Each format has stores of its own, so that all of them are new.
  for (const [format, seed] of [
    ['ndjson', 1],
    ['csv', 4],
  ] as const) {
    const stores = () => generateStores(storeCount, seed)
    // The number is approximate: the contacts per store are random.
    const contacts = () => generateContacts(stores(), contactCount / storeCount)
    for (const [table, count, records] of [
      ['stores', storeCount, stores],
      ['contacts', contactCount, contacts],
    ] as const) {
      if (count === 0) continue
      const path = join(folder, `${table}.${format}`)
      const file = await (format === 'csv' ? writeLines(path, csvRows(records)) : writeRecords(path, records()))
      results[`${table}_${format}`] = await benchImport(context, table, file, serverClock)
      await rm(file)
    }
  }
  console.log(JSON.stringify(results))
} finally {
  await db.end()
  await rm(folder, { recursive: true })
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      'data-dir': { type: 'string' },
      metrics: { type: 'string' },
      stores: { type: 'string', default: '200000' },
      contacts: { type: 'string', default: '300000' },
    },
  })
  const [storeCount, contactCount] = [Number(values.stores), Number(values.contacts)]
  if (!values.url || !Number.isSafeInteger(storeCount) || !Number.isSafeInteger(contactCount))
    throw new Error('usage: --url postgres://… [--data-dir FOLDER] [--metrics URL] [--stores N] [--contacts N]')
  return { url: values.url, dataDir: values['data-dir'], metrics: values.metrics, storeCount, contactCount }
}

/** Imports a file, imports it again, and copies the rows that it added with a bare COPY. */
async function benchImport(
  context: ImportContext,
  table: Table,
  file: string,
  serverClock: (() => number) | null,
): Promise<object> {
  const importFile = () =>
    (table === 'stores' ? importStores : importContacts)(context, { file, extendTaxonomy: false })
  const key = table === 'stores' ? 'id' : 'store_id'
  const { rows } = await db.query<{ last: number }>(`select coalesce(max(${key}), 0) as last from ${table}`)
  const first = await measure(importFile, serverClock)
  const again = await measure(importFile, serverClock)
  const copy = await measure(() => copyRows(table, `where ${key} > ${rows[0]!.last}`), serverClock)
  const perSecond = (seconds: number) => Math.round(first.result.read / seconds)
  const figures = ({ result, ...costs }: { result: ImportResult } & Costs) => ({
    read: result.read,
    inserted: result.inserted,
    unchanged: result.unchanged,
    rejected: result.rejected,
    seconds: result.seconds,
    per_second: perSecond(result.seconds),
    ...costs,
  })
  const costOf = ({ cpu_seconds, postgres_cpu_seconds }: Costs) => cpu_seconds + (postgres_cpu_seconds ?? 0)
  return {
    import: figures(first),
    import_again: figures(again),
    bare_copy: { seconds: copy.result, per_second: perSecond(copy.result), cpu_seconds: copy.postgres_cpu_seconds },
    import_to_copy: rounded(first.result.seconds / copy.result),
    // Processor time depends less on what else the machine does.
    import_to_copy_cpu: copy.postgres_cpu_seconds && rounded(costOf(first) / copy.postgres_cpu_seconds),
  }
}

/** Processor time of this process, PostgreSQL and the running service; peak memory of this process. */
interface Costs {
  cpu_seconds: number
  postgres_cpu_seconds: number | null
  service_cpu_seconds: number | null
  peak_rss_mb: number
}

async function measure<T>(work: () => Promise<T>, serverClock: (() => number) | null): Promise<{ result: T } & Costs> {
  let peak = 0
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(sample, 20)
  const [own, server, service] = [process.cpuUsage(), serverClock?.(), await readServiceSeconds()]
  try {
    const result = await work()
    sample()
    const { user, system } = process.cpuUsage(own)
    return {
      result,
      cpu_seconds: rounded((user + system) / 1e6),
      postgres_cpu_seconds: server === undefined ? null : rounded(serverClock!() - server),
      service_cpu_seconds: service === null ? null : rounded((await readServiceSeconds())! - service),
      peak_rss_mb: Math.round(peak / 2 ** 20),
    }
  } finally {
    clearInterval(timer)
  }
}

/** What the service has used once its index has all that is imported; null without a service. */
async function readServiceSeconds(): Promise<number | null> {
  if (!metrics) return null
  const { rows } = await db.query<{ batch: string }>('select batch from catalogue_state')
  for (;;) {
    const text = await (await fetch(metrics)).text()
    const read = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? 0)
    if (read('storedex_search_batch') >= Number(rows[0]!.batch)) return read('process_cpu_seconds_total')
    await delay(20)
  }
}

/** Seconds to COPY rows into a table without indexes; reading them is not counted. */
async function copyRows(table: Table, where: string): Promise<number> {
  const [reader, writer] = [await db.connect(), await db.connect()]
  try {
    // The generated column cannot be copied.
    const { rows } = await writer.query<{ columns: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
       where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    )
    const { columns } = rows[0]!
    await writer.query('drop table if exists bare')
    await writer.query(`create table bare (like ${table} including generated)`)
    const [, seconds] = await timed(() =>
      pipeline(
        reader.query(copyStreams.to(`copy (select ${columns} from ${table} ${where}) to stdout`)),
        writer.query(copyStreams.from(`copy bare (${columns}) from stdin`)),
      ),
    )
    await writer.query('drop table bare')
    return rounded(seconds)
  } finally {
    reader.release()
    writer.release()
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
