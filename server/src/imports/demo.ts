import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isHostKnown } from '../catalogue/queries.ts'
import { ensureInstallationValue, readInstallationValue } from '../db/installation.ts'
import type { Mode } from '../kernel/ids.ts'
import { contactImportKind } from './contacts/import-contacts.ts'
import { type ImportContext, type ImportCounts, importSource } from './import-file.ts'
import type { ImportKind } from './import-kind.ts'
import type { RejectsSink } from './source/rejects.ts'
import { openSource } from './source/text.ts'
import { storeImportKind } from './stores/import-stores.ts'

const peopleFile = 'contacts.ndjson'

/**
 * Brings the sandbox that keys of mode `test` see up to the shipped one. At every start: where nothing differs, it is
 * one comparison of two hundred stores and their people.
 */
export async function importSandbox(context: ImportContext, folder: string): Promise<ImportCounts> {
  const stores = await importShipped(context, storeImportKind, join(folder, 'stores.ndjson'), 'test')
  return sum(stores, await importShipped(context, contactImportKind, join(folder, peopleFile), 'test'))
}

/**
 * Fills the live catalogue with the demonstration: invented shops with their people, and facts of real shops. Once it is
 * complete, what the operator makes of it is left alone; cut short, it is taken up again. Null when it was there already.
 */
export async function importDemonstration(context: ImportContext, folder: string): Promise<ImportCounts | null> {
  const stores = await loadDemonstrationStores(context, folder)
  const people = await loadDemonstrationPeople(context, folder)
  return stores && people ? sum(stores, people) : (stores ?? people)
}

const storeFiles = ['stores.ndjson', 'real-shops.ndjson']

async function loadDemonstrationStores(context: ImportContext, folder: string): Promise<ImportCounts | null> {
  const files = storeFiles.map((name) => join(folder, name))
  if (await isHostKnown(context.db, 'live', await lastDomain(files.at(-1)!))) return null
  let total: ImportCounts = { read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0 }
  for (const file of files) total = sum(total, await importShipped(context, storeImportKind, file, 'live'))
  return total
}

/** Kept once the people are complete: somebody who was erased since must not be looked for again. */
const peopleMark = 'demonstration_contacts'

async function loadDemonstrationPeople(context: ImportContext, folder: string): Promise<ImportCounts | null> {
  if (await readInstallationValue(context.db, peopleMark)) return null
  const counts = await importShipped(context, contactImportKind, join(folder, peopleFile), 'live')
  await ensureInstallationValue(context.db, peopleMark, Buffer.from('imported'))
  return counts
}

/** Shops that an operator imported before may hold a host of ours; theirs stay, and nobody needs a file to say so. */
const noFile: RejectsSink = { path: null, write: async () => {}, close: async () => {} }

async function importShipped<Patch>(
  context: ImportContext,
  kind: ImportKind<Patch>,
  file: string,
  mode: Mode,
): Promise<ImportCounts> {
  return importSource(context, kind, await openSource(file, undefined), noFile, { mode, extendTaxonomy: false })
}

function sum(a: ImportCounts, b: ImportCounts): ImportCounts {
  const names = Object.keys(a) as (keyof ImportCounts)[]
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as unknown as ImportCounts
}

/** Files are imported in order, so their last store tells that the others are there. */
async function lastDomain(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return (JSON.parse(lines.at(-1)!) as { domain: string }).domain
}
