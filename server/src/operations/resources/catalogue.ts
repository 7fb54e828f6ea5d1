import { join } from 'node:path'
import type { StartReading } from '../../catalogue/imports/records/chunk-reader.ts'
import { type ContactSeals, openContactSeals } from '../../foundation/encryption/keyring.ts'
import { syncTaxonomy } from '../../search/taxonomy/sync-taxonomy.ts'
import { LiveTaxonomy } from '../../search/taxonomy/taxonomy.ts'
import type { Config } from '../config.ts'
import { type DatabaseDeps, type DatabaseOptions, openDatabaseDeps, type RootDatabaseDeps } from './database.ts'

/** The database with what reads and writes of the catalogue need. */
export interface CatalogueDeps extends DatabaseDeps {
  taxonomy: LiveTaxonomy
  /** Seals and opens the sealed part of contacts. */
  seals: ContactSeals
  /** How imports read large files; absent: in the calling thread. */
  startReading?: StartReading
}

/** Opens the database, the keyring and the taxonomy. When a step fails, the steps before it are undone. */
export async function openCatalogueDeps(
  config: Config,
  options: DatabaseOptions,
): Promise<CatalogueDeps & RootDatabaseDeps> {
  const database = await openDatabaseDeps(config, options)
  try {
    const { db } = database
    const seals = await openContactSeals(db, config.dataKeys, config.dataDir)
    await syncTaxonomy(db, join(config.projectDir, 'catalogue/taxonomy'))
    return { ...database, seals, taxonomy: await LiveTaxonomy.open(db) }
  } catch (error) {
    // The original error matters more than a failed clean-up.
    await database.close().catch(() => {})
    throw error
  }
}
