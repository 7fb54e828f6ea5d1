/**
 * Imports one file of stores, as CSV or as a workbook, and prints the time and the memory that it took. The bench of
 * workbooks runs it, a process for each file. The database should be empty.
 *
 *   tsx bench/read-table.ts --url postgres://… --file stores.xlsx [--dry-run]
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ImportContext, keepHeapSmall } from '../server/src/catalogue/imports/records/import-file.ts'
import { importStores } from '../server/src/catalogue/imports/stores/import-stores.ts'
import { readInThread } from '../server/src/catalogue/imports/threads/read-in-thread.ts'
import { ensureInstallationSecret } from '../server/src/foundation/db/installation.ts'
import { openContactSeals } from '../server/src/foundation/encryption/keyring.ts'
import { createIdSealer } from '../server/src/foundation/kernel/ids.ts'
import { systemClock } from '../server/src/foundation/kernel/time.ts'
import { threadProgram } from '../server/src/program/serving/programs.ts'
import { syncTaxonomy } from '../server/src/search/taxonomy/sync-taxonomy.ts'
import { openMigratedDatabase } from '../server/test/support/programs/workspace.ts'
import { ignoredColumns } from './workbooks/rows.ts'

export interface ReadFigures {
  read: number
  rejected: number
  seconds: number
  /** Processor time of the process. */
  cpuSeconds: number
  /** Resident memory before the file is opened, and at most until its end. */
  restMb: number
  peakMb: number
}

const {
  url,
  file,
  'dry-run': dryRun,
} = parseArgs({
  options: { url: { type: 'string' }, file: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
}).values
if (!url || !file) throw new Error('usage: --url postgres://… --file FILE [--dry-run]')
const db = await openMigratedDatabase(url, 600_000)
try {
  await syncTaxonomy(db, join(import.meta.dirname, '../catalogue/taxonomy'))
  const context: ImportContext = {
    db,
    clock: systemClock,
    ids: createIdSealer(await ensureInstallationSecret(db)),
    seals: await openContactSeals(db, null, join(file, '..')),
    startReading: readInThread(threadProgram('reading-thread')),
  }
  console.log(JSON.stringify(await measure(context, { file, dryRun })))
} finally {
  await db.end()
}

async function measure(context: ImportContext, input: { file: string; dryRun: boolean }): Promise<ReadFigures> {
  // As the command does.
  keepHeapSmall()
  const rest = process.memoryUsage.rss()
  let peak = rest
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(sample, 20)
  const own = process.cpuUsage()
  try {
    const { read, rejected, seconds } = await importStores(context, {
      ...input,
      extendTaxonomy: false,
      map: ignoredColumns,
    })
    sample()
    const { user, system } = process.cpuUsage(own)
    return { read, rejected, seconds, cpuSeconds: (user + system) / 1e6, restMb: rest / 1e6, peakMb: peak / 1e6 }
  } finally {
    clearInterval(timer)
  }
}
