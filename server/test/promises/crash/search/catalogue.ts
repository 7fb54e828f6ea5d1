import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eraseContacts } from '../../../../src/catalogue/erasure/erase-contacts.ts'
import { importContacts } from '../../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../../src/catalogue/imports/stores/import-stores.ts'
import { command } from '../../../../src/customers/auth/actor.ts'
import { findProjectDir, readConfig } from '../../../../src/operations/config.ts'
import type { Deps, OpenDepsOptions } from '../../../../src/operations/deps.ts'
import { buildApp } from '../../../../src/program/app.ts'
import { readCatalogueState } from '../../../../src/search/replica/queries.ts'
import { temporaryFolder } from '../../../search/support/replica-world.ts'
import { atEnd } from '../../../support/cleanup.ts'
import { openTestDeps } from '../../../support/deps.ts'
import { testDataKeys } from '../../../support/fixtures.ts'
import { drawPerson, drawStore, type Random, someOf } from './records.ts'

/** Settings of every process that uses the catalogue. */
export function catalogueSettings(url: string) {
  return { DATABASE_URL: url, DATA_KEYS: testDataKeys, DEMO: '0' }
}

/** Opens the catalogue in this process, with its own data directory, until the file's tests are over. */
export async function openDepsInProcess(
  settings: Record<string, string>,
  options: Partial<OpenDepsOptions> = {},
): Promise<Deps> {
  const given = { DATA_DIR: temporaryFolder(), LOG_LEVEL: 'silent', ...settings }
  const deps = await openTestDeps(readConfig(given, findProjectDir(import.meta.dirname)), {
    maxConnections: 4,
    ...options,
  })
  atEnd(() => deps.close())
  return deps
}

/** Serves the API from this process; returns its base URL. */
export async function listen(deps: Deps): Promise<string> {
  const app = await buildApp(deps)
  atEnd(() => app.close())
  return `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1`
}

/** A catalogue that this process changes as an operator does; its searches use PostgreSQL. */
export interface ChangingCatalogue {
  deps: Deps
  /** The constant number of live stores. */
  stores: number
  /** Makes one change: an import or an erasure. */
  change(): Promise<void>
  /** Makes changes until stopped. */
  keepChanging(): () => Promise<void>
  /** The newest batch. */
  batch(): Promise<number>
  /** A random contact of the live catalogue. */
  somebody(): Promise<string>
}

const stores = 200

/** Opens the catalogue and imports all of its stores; later changes neither add nor remove any. */
export async function openCatalogue(url: string, random: Random): Promise<ChangingCatalogue> {
  const deps = await openDepsInProcess({ ...catalogueSettings(url), SEARCH_ENGINE: 'postgres' })
  // Imports and erasures run as the role that owns the tables.
  const operator = { ...deps, actor: command, db: deps.ownerDb }
  const file = join(temporaryFolder(), 'records.ndjson')
  const importRecords = async (importFile: typeof importStores, records: object[]) => {
    await writeFile(file, records.map((record) => JSON.stringify(record)).join('\n'))
    // Erased people are rejected.
    await importFile(operator, { file, extendTaxonomy: false })
  }
  const somebody = async () => {
    const { rows } = await deps.db.query<{ key: number }>(
      `select c.store_id * 4096 + c.number as key from contacts as c join stores as s on s.id = c.store_id
       where s.mode = 'live' order by md5(c.store_id::text || c.number || $1::text) limit 1`,
      [random()],
    )
    return deps.ids.seal('contact', rows[0]!.key, 'live')
  }
  const everyStore = Array.from({ length: stores }, (_, index) => index)
  const people = (count: number) => Array.from({ length: count }, () => drawPerson(random, stores))
  const change = async () => {
    const choice = random()
    if (choice < 0.15) await eraseContacts(operator, { id: await somebody() })
    else if (choice < 0.5) await importRecords(importContacts, people(1 + Math.floor(random() * 30)))
    else {
      const share = random() < 0.1 ? 1 : 0.05
      const records = someOf(random, everyStore, share).map((index) => drawStore(random, index))
      if (records.length > 0) await importRecords(importStores, records)
    }
  }

  await importRecords(
    importStores,
    everyStore.map((index) => drawStore(random, index)),
  )
  await importRecords(importContacts, people(600))
  return {
    deps,
    stores,
    change,
    keepChanging: () => {
      let isStopping = false
      const running = (async () => {
        while (!isStopping) await change()
      })()
      // A failure is thrown by `stop`.
      running.catch(() => {})
      return () => {
        isStopping = true
        return running
      }
    },
    batch: async () => (await readCatalogueState(deps.db, 0)).batch,
    somebody,
  }
}
