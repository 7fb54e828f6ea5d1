import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ImportContext, type ImportCounts, importFrom } from './import-file.ts'
import { storeRecords } from './import-stores.ts'
import { isHostKnown } from './load.ts'
import { openSource } from './read.ts'
import type { RejectsSink } from './rejects.ts'

/**
 * Brings the sandbox that keys of mode `test` see up to the shipped one. At every start: where nothing differs, it is
 * one comparison of two hundred stores.
 */
export async function loadSandbox(context: ImportContext, folder: string): Promise<ImportCounts> {
  return importShipped(context, join(folder, 'stores.ndjson'), 'test')
}

const demonstrationFiles = ['stores.ndjson', 'real-shops.ndjson']

/**
 * Fills the live catalogue with the demonstration: invented shops and facts of real ones. Once it is complete, what the
 * operator makes of these stores is left alone; cut short, it is taken up again. Null when it was there already.
 */
export async function loadDemonstration(context: ImportContext, folder: string): Promise<ImportCounts | null> {
  const files = demonstrationFiles.map((name) => join(folder, name))
  if (await isHostKnown(context.db, 'live', await lastDomain(files.at(-1)!))) return null
  const total: ImportCounts = { read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0 }
  for (const file of files) {
    const counts = await importShipped(context, file, 'live')
    for (const name of Object.keys(total) as (keyof ImportCounts)[]) total[name] += counts[name]
  }
  return total
}

/** Shops that an operator imported before may hold a host of ours; theirs stay, and nobody needs a file to say so. */
const noFile: RejectsSink = { path: null, write: async () => {}, close: async () => {} }

async function importShipped(context: ImportContext, file: string, mode: 'live' | 'test'): Promise<ImportCounts> {
  return importFrom(context, storeRecords, await openSource(file, undefined), noFile, { mode, extendTaxonomy: false })
}

/** Files are imported in order, so their last store tells that the others are there. */
async function lastDomain(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return (JSON.parse(lines.at(-1)!) as { domain: string }).domain
}
