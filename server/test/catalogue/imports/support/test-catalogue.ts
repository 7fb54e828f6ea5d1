import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import type { ImportContext, ImportResult } from '../../../../src/catalogue/imports/records/import-file.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { type Actor, command } from '../../../../src/customers/auth/actor.ts'
import { ensureInstallationSecret } from '../../../../src/foundation/db/installation.ts'
import { createPool, type Pool } from '../../../../src/foundation/db/pool.ts'
import { openContactSeals } from '../../../../src/foundation/encryption/keyring.ts'
import { createIdSealer, type Mode } from '../../../../src/foundation/kernel/ids.ts'
import { parseDataKeys } from '../../../../src/foundation/kernel/seal.ts'
import { type Store, storeIdPattern } from '../../../../src/product/delivery/store-document.ts'
import {
  describeChange,
  type StoreChange,
  type StoreChangeRow,
} from '../../../../src/product/delivery/store-history.ts'
import { syncTaxonomy } from '../../../../src/search/taxonomy/sync-taxonomy.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { createTestDatabase } from '../../../support/database.ts'
import { createManualClock, testDataKeys } from '../../../support/fixtures.ts'

export const catalogueFolder = join(import.meta.dirname, '../../../../../catalogue')

interface StoredRow {
  id: number
  mode: Mode
  batch: number
  negated_score: number
  tokens: number[]
  active_ads: number | null
  created_estimate: Date | null
  first_discovered_at: Date | null
  document: Store
  aliases: string[]
}

/** A database with the taxonomy and an empty catalogue, and a folder for files; both are deleted after the tests. */
export interface TestCatalogue {
  url: string
  folder: string
  context: ImportContext & { actor: Actor }
  db: Pool
  /** Writes a file, compressed if its name ends in .gz. */
  write(name: string, content: string | Buffer): Promise<string>
  /** Imports store records from an NDJSON file. */
  importStores(records: unknown[], options?: { extendTaxonomy?: boolean; mode?: Mode }): Promise<ImportResult>
  /** Imports contact records from an NDJSON file. */
  importContacts(records: unknown[], options?: { extendTaxonomy?: boolean; mode?: Mode }): Promise<ImportResult>
  importStoresFile(name: string, content: string | Buffer): Promise<ImportResult>
  importContactsFile(name: string, content: string | Buffer): Promise<ImportResult>
  rejectsOf(result: ImportResult): Promise<{ line: number; reason: string; record: unknown }[]>
  rows(): Promise<StoredRow[]>
  /** Returns the live store of a domain. */
  store(domain: string): Promise<StoredRow | undefined>
  batch(): Promise<number>
}

export async function openTestCatalogue(): Promise<TestCatalogue> {
  const { url } = await createTestDatabase()
  const db = createPool({ url, applicationName: 'storedex import test' })
  const folder = mkdtempSync(join(tmpdir(), 'storedex-import-'))
  atEnd(async () => {
    await db.end()
    rmSync(folder, { recursive: true })
  })
  await syncTaxonomy(db, join(catalogueFolder, 'taxonomy'))
  const clock = createManualClock('2026-11-01T12:00:00.000Z')
  const context = {
    actor: command,
    db,
    clock,
    ids: createIdSealer(await ensureInstallationSecret(db)),
    seals: await openContactSeals(db, parseDataKeys(testDataKeys)!, folder),
  }
  let files = 0
  const writeRecords = (records: unknown[]) =>
    catalogue.write(`records-${files++}.ndjson`, records.map((record) => JSON.stringify(record)).join('\n'))
  const catalogue: TestCatalogue = {
    url,
    folder,
    db,
    context,
    async write(name, content) {
      const path = join(folder, name)
      await writeFile(path, name.endsWith('.gz') && typeof content === 'string' ? gzipSync(content) : content)
      return path
    },
    async importStoresFile(name, content) {
      return importStores(context, { file: await catalogue.write(name, content), extendTaxonomy: false })
    },
    async importContactsFile(name, content) {
      return importContacts(context, { file: await catalogue.write(name, content), extendTaxonomy: false })
    },
    async importStores(records, { extendTaxonomy = false, mode = 'live' } = {}) {
      return importStores(context, { file: await writeRecords(records), extendTaxonomy, mode })
    },
    async importContacts(records, { extendTaxonomy = false, mode = 'live' } = {}) {
      return importContacts(context, { file: await writeRecords(records), extendTaxonomy, mode })
    },
    async rejectsOf({ rejects_file }) {
      if (rejects_file === null) return []
      const text = await readFile(rejects_file, 'utf8')
      if (rejects_file.endsWith('.csv')) return readCsvRejects(text)
      const lines = text.trimEnd().split('\n')
      return lines.map((line) => JSON.parse(line))
    },
    rows: () => readRows(db),
    async store(domain) {
      return (await readRows(db)).find((row) => row.mode === 'live' && row.document.domain === domain)
    },
    async batch() {
      const { rows } = await db.query<{ batch: number }>('select batch from catalogue_state')
      return rows[0]!.batch
    },
  }
  return catalogue
}

/** The rejected rows as objects of their cells. */
function readCsvRejects(text: string) {
  const rows: Record<string, string>[] = parse(text, { columns: true, bom: true, relax_column_count: true })
  return rows.map(({ _line, _reasons, ...record }) => ({ line: Number(_line), reason: _reasons!, record }))
}

async function readRows(db: Pool): Promise<StoredRow[]> {
  const { rows } = await db.query<Omit<StoredRow, 'document' | 'aliases'> & { document: string }>(
    `select id, mode, batch, negated_score, tokens, active_ads, created_estimate, first_discovered_at, document
     from stores order by id`,
  )
  const hosts = await readHosts(db)
  return rows.map((row) => ({
    ...row,
    document: JSON.parse(row.document),
    aliases: (hosts.get(row.id) ?? []).filter((host) => !host.canonical).map((host) => host.host),
  }))
}

async function readHosts(db: Pool) {
  const { rows } = await db.query<{ store_id: number; mode: Mode; host: string; canonical: boolean }>(
    'select store_id, mode, host, canonical from store_domains order by host',
  )
  const byStore = new Map<number, typeof rows>()
  for (const row of rows) byStore.set(row.store_id, [...(byStore.get(row.store_id) ?? []), row])
  return byStore
}

/** The history of all stores, the oldest changes first, with the store's domain instead of its number. */
export async function readHistories(db: Pool): Promise<Map<string, StoreChange[]>> {
  const { rows } = await db.query<StoreChangeRow & { document: string }>(
    `select s.document, c.batch, c.field, c.at, c.before, c.after, c.added, c.removed
     from store_changes c join stores s on s.id = c.store_id
     order by c.batch, c.field`,
  )
  const histories = new Map<string, StoreChange[]>()
  for (const { document, ...row } of rows) {
    const { domain } = JSON.parse(document) as Store
    histories.set(domain, [...(histories.get(domain) ?? []), describeChange(row)])
  }
  return histories
}

/**
 * Returns the content of a catalogue in a form that can be compared with another: without ids and batch numbers, sorted
 * by domain.
 */
export async function comparableContent(db: Pool): Promise<object[]> {
  const rows = await readRows(db)
  const hosts = await readHosts(db)
  return rows
    .map(({ id, batch: _batch, document: { id: publicId, ...document }, ...columns }) => ({
      ...columns,
      document,
      hasPublicId: new RegExp(storeIdPattern).test(publicId),
      hosts: hosts.get(id)?.map(({ store_id: _, ...host }) => host),
    }))
    .sort((a, b) => (a.document.domain < b.document.domain ? -1 : 1))
}
