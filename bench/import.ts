/**
 * Measures speed and memory of imports, compared with PostgreSQL's lower limit for the same rows: one COPY into a table
 * without indexes. Fills the given database, which should be empty and used for nothing else.
 *
 *   npx tsx bench/import.ts --url postgres://… [--stores 1000000] [--contacts 0]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import copyStreams from 'pg-copy-streams'
import { ensureInstallationSecret } from '../server/src/db/installation.ts'
import type { Pool } from '../server/src/db/pool.ts'
import { openContactSeals } from '../server/src/encryption/keyring.ts'
import { importContacts } from '../server/src/imports/contacts/import-contacts.ts'
import type { ImportResult } from '../server/src/imports/import-file.ts'
import { importStores } from '../server/src/imports/stores/import-stores.ts'
import { createIdSealer } from '../server/src/kernel/ids.ts'
import { systemClock } from '../server/src/kernel/time.ts'
import { syncTaxonomy } from '../server/src/taxonomy/sync-taxonomy.ts'
import { generateContacts } from './support/contact-records.ts'
import { generateStores } from './support/store-records.ts'
import { openMigratedDatabase, writeRecords } from './support/workspace.ts'

const project = join(import.meta.dirname, '..')
const { url, stores: storeCount, contacts: contactCount } = readArguments()
const folder = await mkdtemp(join(tmpdir(), 'storedex-bench-'))
const db = await openMigratedDatabase(url, 600_000)
try {
  await syncTaxonomy(db, join(project, 'catalogue/taxonomy'))
  const context = {
    db,
    clock: systemClock,
    ids: createIdSealer(await ensureInstallationSecret(db)),
    seals: await openContactSeals(db, null, folder),
  }
  const storesFile = await writeRecords(join(folder, 'stores.ndjson'), generateStores(storeCount))
  const stores = await benchImport('stores', () => importStores(context, { file: storesFile, extendTaxonomy: false }))
  await rm(storesFile)
  if (contactCount === 0) console.log(JSON.stringify({ stores }))
  else {
    // The number is approximate: the contacts per store are random.
    const people = generateContacts(generateStores(storeCount), contactCount / storeCount)
    const peopleFile = await writeRecords(join(folder, 'contacts.ndjson'), people)
    const importPeople = () => importContacts(context, { file: peopleFile, extendTaxonomy: false })
    console.log(JSON.stringify({ stores, contacts: await benchImport('contacts', importPeople) }))
  }
} finally {
  await db.end()
  await rm(folder, { recursive: true })
}

function readArguments(): { url: string; stores: number; contacts: number } {
  const { values } = parseArgs({
    options: { url: { type: 'string' }, stores: { type: 'string' }, contacts: { type: 'string' } },
  })
  const [stores, contacts] = [Number(values.stores ?? 1_000_000), Number(values.contacts ?? 0)]
  if (!values.url || !Number.isSafeInteger(stores) || !Number.isSafeInteger(contacts))
    throw new Error('usage: --url postgres://… [--stores 1000000] [--contacts 0]')
  return { url: values.url, stores, contacts }
}

/** Imports, imports the same file again, and copies the resulting rows with a bare COPY. */
async function benchImport(table: 'stores' | 'contacts', importFile: () => Promise<ImportResult>): Promise<object> {
  const first = await measured(importFile)
  const again = await measured(importFile)
  const copySeconds = await copyOfTheSameRows(db, table)
  const rate = (seconds: number) => Math.round(first.result.read / seconds)
  const outcomeOf = ({ result, peakRssMb, cpuSeconds }: typeof first) => ({
    ...result,
    per_second: rate(result.seconds),
    // Of this process, without PostgreSQL.
    cpu_seconds: cpuSeconds,
    peak_rss_mb: peakRssMb,
  })
  return {
    import: outcomeOf(first),
    import_again: outcomeOf(again),
    bare_copy: { seconds: copySeconds, per_second: rate(copySeconds) },
    import_to_copy: Math.round((first.result.seconds / copySeconds) * 10) / 10,
  }
}

async function measured<T>(work: () => Promise<T>): Promise<{ result: T; peakRssMb: number; cpuSeconds: number }> {
  let peak = 0
  const cpuBefore = process.cpuUsage()
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(sample, 20)
  try {
    const result = await work()
    sample()
    const { user, system } = process.cpuUsage(cpuBefore)
    return { result, peakRssMb: Math.round(peak / 2 ** 20), cpuSeconds: Math.round((user + system) / 1000) / 1000 }
  } finally {
    clearInterval(timer)
  }
}

/** Seconds to COPY the imported rows into a table without indexes. */
async function copyOfTheSameRows(pool: Pool, table: 'stores' | 'contacts'): Promise<number> {
  const [reader, writer] = [await pool.connect(), await pool.connect()]
  try {
    await writer.query('drop table if exists bare')
    await writer.query(`create table bare (like ${table} including generated)`)
    const startedAtMs = performance.now()
    await pipeline(
      reader.query(copyStreams.to(`copy ${table} to stdout`)),
      writer.query(copyStreams.from('copy bare from stdin')),
    )
    const seconds = Math.round(performance.now() - startedAtMs) / 1000
    await writer.query('drop table bare')
    return seconds
  } finally {
    reader.release()
    writer.release()
  }
}
