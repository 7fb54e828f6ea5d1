/**
 * How fast stores are imported, and in how much memory, beside what PostgreSQL does with the same rows at best: one COPY
 * into a table without indexes. Fills the database that it is given, which should be an empty one of its own.
 *
 *   npx tsx bench/import.ts --url postgres://… [--stores 1000000]
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import copyStreams from 'pg-copy-streams'
import { openContactSeals } from '../server/src/contacts/keyring.ts'
import { readInstallationSecret } from '../server/src/db/installation.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { createPool, type Pool } from '../server/src/db/pool.ts'
import { importStores } from '../server/src/imports/import-stores.ts'
import { systemClock } from '../server/src/kernel/clock.ts'
import { createIdSealer } from '../server/src/kernel/ids.ts'
import { syncTaxonomy } from '../server/src/taxonomy/sync.ts'
import { generateStores } from './generate.ts'

const project = join(import.meta.dirname, '..')
const { url, stores: storeCount } = readArguments()
const folder = await mkdtemp(join(tmpdir(), 'storedex-bench-'))
await migrate(url, join(project, 'server/migrations'))
const db = createPool({ url, applicationName: 'storedex bench', statementTimeoutMs: 600_000 })
try {
  await syncTaxonomy(db, join(project, 'catalogue/taxonomy'))
  const file = join(folder, 'stores.ndjson')
  await writeStores(file, storeCount)
  const context = {
    db,
    clock: systemClock,
    ids: createIdSealer(await readInstallationSecret(db)),
    seals: await openContactSeals(db, null, folder),
  }
  const first = await measured(() => importStores(context, { file, extendTaxonomy: false }))
  const again = await measured(() => importStores(context, { file, extendTaxonomy: false }))
  const copySeconds = await copyOfTheSameRows(db)
  const rate = (seconds: number) => Math.round(storeCount / seconds)
  const outcomeOf = ({ result, peakRssMb, cpuSeconds }: typeof first) => ({
    ...result,
    per_second: rate(result.seconds),
    // Of this process; what PostgreSQL takes comes on top.
    cpu_seconds: cpuSeconds,
    peak_rss_mb: peakRssMb,
  })
  console.log(
    JSON.stringify({
      stores: storeCount,
      import: outcomeOf(first),
      import_again: outcomeOf(again),
      bare_copy: { seconds: copySeconds, per_second: rate(copySeconds) },
      import_to_copy: Math.round((first.result.seconds / copySeconds) * 10) / 10,
    }),
  )
} finally {
  await db.end()
  await rm(folder, { recursive: true })
}

function readArguments(): { url: string; stores: number } {
  const { values } = parseArgs({ options: { url: { type: 'string' }, stores: { type: 'string' } } })
  const stores = Number(values.stores ?? 1_000_000)
  if (!values.url || !Number.isSafeInteger(stores)) throw new Error('usage: --url postgres://… [--stores 1000000]')
  return { url: values.url, stores }
}

async function writeStores(file: string, count: number): Promise<void> {
  const out = createWriteStream(file, { highWaterMark: 1 << 20 })
  for (const store of generateStores(count)) if (!out.write(`${JSON.stringify(store)}\n`)) await once(out, 'drain')
  out.end()
  await once(out, 'close')
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

/** Seconds to write the imported rows once more, ready-made, straight into a table that has no indexes. */
async function copyOfTheSameRows(pool: Pool): Promise<number> {
  const [reader, writer] = [await pool.connect(), await pool.connect()]
  try {
    await writer.query('drop table if exists bare_stores')
    await writer.query('create table bare_stores (like stores)')
    const startedAtMs = performance.now()
    await pipeline(
      reader.query(copyStreams.to('copy stores to stdout')),
      writer.query(copyStreams.from('copy bare_stores from stdin')),
    )
    const seconds = Math.round(performance.now() - startedAtMs) / 1000
    await writer.query('drop table bare_stores')
    return seconds
  } finally {
    reader.release()
    writer.release()
  }
}
