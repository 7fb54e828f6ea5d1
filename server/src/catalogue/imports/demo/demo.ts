import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureInstallationValue, readInstallationValue } from '../../../foundation/db/installation.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import { isHostKnown } from '../../writing/queries.ts'
import { contactImportKind } from '../contacts/import-contacts.ts'
import { type ImportContext, importSource } from '../records/import-file.ts'
import type { ImportKind } from '../records/import-kind.ts'
import type { ImportCounts } from '../records/outcome.ts'
import type { RejectsSink } from '../records/rejects.ts'
import { openSource } from '../source/open-source.ts'
import { storeImportKind } from '../stores/import-stores.ts'
import { writeDemonstrationHistory } from './demo-history.ts'

const contactsFile = 'contacts.ndjson'

/**
 * Updates the sandbox, which test keys see, to the shipped files. Runs at every start: if nothing differs, it only
 * compares two hundred stores and their contacts.
 */
export async function importSandbox(context: ImportContext, folder: string): Promise<ImportCounts> {
  const stores = await importShipped(context, storeImportKind, join(folder, 'stores.ndjson'), 'test')
  return sum(stores, await importShipped(context, contactImportKind, join(folder, contactsFile), 'test'))
}

/**
 * Imports the demonstration into the live catalogue: invented stores with history and contacts, and facts about real shops. An
 * interrupted import continues at the next call. A complete one is not repeated, so the operator's changes stay: null.
 */
export async function importDemonstration(context: ImportContext, folder: string): Promise<ImportCounts | null> {
  const stores = await importDemonstrationStores(context, folder)
  await writeDemonstrationHistory(context, join(folder, 'history.ndjson'))
  const contacts = await importDemonstrationContacts(context, folder)
  return stores && contacts ? sum(stores, contacts) : (stores ?? contacts)
}

const storeFiles = ['stores.ndjson', 'real-shops.ndjson']

async function importDemonstrationStores(context: ImportContext, folder: string): Promise<ImportCounts | null> {
  const files = storeFiles.map((name) => join(folder, name))
  if (await isHostKnown(context.db, 'live', await readLastDomain(files.at(-1)!))) return null
  let total: ImportCounts = { read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0 }
  for (const file of files) total = sum(total, await importShipped(context, storeImportKind, file, 'live'))
  return total
}

/** Stored once the contacts are complete: a later start must not import a contact again that was erased since. */
const contactsImportedKey = 'demonstration_contacts'

async function importDemonstrationContacts(context: ImportContext, folder: string): Promise<ImportCounts | null> {
  if (await readInstallationValue(context.db, contactsImportedKey)) return null
  const counts = await importShipped(context, contactImportKind, join(folder, contactsFile), 'live')
  await ensureInstallationValue(context.db, contactsImportedKey, Buffer.from('imported'))
  return counts
}

/** The operator's own stores may have a host of the demonstration and keep it; no rejects file is needed for that. */
const discardRejects: RejectsSink = { path: null, write: async () => {}, close: async () => {} }

async function importShipped<Patch>(
  context: ImportContext,
  kind: ImportKind<Patch>,
  file: string,
  mode: Mode,
): Promise<ImportCounts> {
  return importSource(context, kind, await openSource(file, undefined), discardRejects, { mode, extendTaxonomy: false })
}

function sum(a: ImportCounts, b: ImportCounts): ImportCounts {
  const names = Object.keys(a) as (keyof ImportCounts)[]
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as unknown as ImportCounts
}

/** Files are imported in order, so if the last store exists, all others do. */
async function readLastDomain(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return (JSON.parse(lines.at(-1)!) as { domain: string }).domain
}
