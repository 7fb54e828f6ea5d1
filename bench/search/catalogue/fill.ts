import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import copyStreams from 'pg-copy-streams'
import { ensureInstallationSecret } from '../../../server/src/foundation/db/installation.ts'
import { type Pool, transact } from '../../../server/src/foundation/db/pool.ts'
import { openContactSeals } from '../../../server/src/foundation/encryption/keyring.ts'
import { createIdSealer } from '../../../server/src/foundation/kernel/ids.ts'
import { bumpTaxonomyVersion, insertTaxonomyValues, readTaxonomy } from '../../../server/src/search/taxonomy/queries.ts'
import { openMigratedDatabase, type Workspace } from '../../../server/test/support/programs/workspace.ts'
import { generateCatalogue } from './generate.ts'
import { catalogueRows, contactTableColumns, hostColumns, storesPerBatch, storeTableColumns } from './rows.ts'
import { type BenchTaxonomy, rankTaxonomy, readTaxonomyEntries } from './taxonomy.ts'

const filled = ['stores', 'store_domains', 'contacts']

export interface FilledDatabase {
  stores: number
  contacts: number
  taxonomy: BenchTaxonomy
}

/**
 * Fills a new database with generated stores and contacts as imports would leave them, but faster: copies rows into the
 * tables and creates keys and indexes afterwards.
 */
export async function fillDatabase(
  workspace: Pick<Workspace, 'databaseUrl' | 'dataDir'>,
  stores: number,
  reportProgress: (progress: string) => void,
): Promise<FilledDatabase> {
  const pool = await openMigratedDatabase(workspace.databaseUrl)
  try {
    const taxonomy = await insertTaxonomy(pool)
    const staged = generateCatalogue(taxonomy, stores)
    reportProgress(`${stores} stores generated`)
    const ids = createIdSealer(await ensureInstallationSecret(pool))
    const { sealer } = await openContactSeals(pool, null, workspace.dataDir)
    const rows = catalogueRows(staged, taxonomy.terms, 1, ids, sealer.newestPrefix)
    const remake = await dropIndexes(pool)
    await copyInto(pool, `stores (${storeTableColumns})`, rows.stores())
    reportProgress('stores written')
    await copyInto(pool, `store_domains (${hostColumns})`, rows.hosts())
    await copyInto(pool, `contacts (${contactTableColumns})`, rows.contacts())
    reportProgress(`${staged.contactRoles.length} contacts written`)
    await recordBatches(pool, Math.ceil(stores / storesPerBatch))
    await pool.query(`select setval(pg_get_serial_sequence('stores', 'id'), $1::bigint)`, [stores])
    await remake()
    await pool.query(`vacuum (analyze) ${filled.join(', ')}`)
    reportProgress('indexes made')
    return { stores, contacts: staged.contactRoles.length, taxonomy }
  } finally {
    await pool.end()
  }
}

/** Inserts the shipped taxonomy and the invented apps, and returns them with the tokens that the database assigned. */
async function insertTaxonomy(pool: Pool): Promise<BenchTaxonomy> {
  await transact(pool, async (client) => {
    await insertTaxonomyValues(client, await readTaxonomyEntries())
    await bumpTaxonomyVersion(client)
  })
  return rankTaxonomy((await readTaxonomy(pool)).values)
}

async function copyInto(pool: Pool, target: string, blocks: Iterable<Buffer>): Promise<void> {
  const client = await pool.connect()
  try {
    await pipeline(Readable.from(blocks), client.query(copyStreams.from(`copy ${target} from stdin`)))
  } finally {
    client.release()
  }
}

async function recordBatches(pool: Pool, batches: number): Promise<void> {
  const marks = Array.from({ length: batches }, () => randomBytes(8).readBigInt64BE().toString())
  await pool.query(
    `insert into catalogue_batches (batch, mark)
     select batch, mark from unnest($1::bigint[]) with ordinality as marked (mark, batch)`,
    [marks],
  )
  await pool.query('update catalogue_state set batch = $1::bigint', [batches])
}

/** Drops keys and indexes. The returned function creates them again. */
async function dropIndexes(pool: Pool): Promise<() => Promise<void>> {
  const { rows: keys } = await pool.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype in ('p', 'u') and conrelid::regclass::text = any ($1::text[])`,
    [filled],
  )
  for (const { table, name } of keys)
    await pool.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`)
  const { rows: indexes } = await pool.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where schemaname = 'public' and tablename = any ($1::text[])`,
    [filled],
  )
  for (const { name } of indexes) await pool.query(`drop index ${pg.escapeIdentifier(name)}`)
  return async () => {
    const client = await pool.connect()
    try {
      await client.query(`set maintenance_work_mem = '1GB'`)
      for (const { definition } of indexes) await client.query(definition)
      for (const { table, name, definition } of keys)
        await client.query(`alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`)
    } finally {
      client.release(true)
    }
  }
}
