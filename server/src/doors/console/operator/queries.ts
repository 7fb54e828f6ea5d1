import type { Queryable } from '../../../foundation/db/pool.ts'

export interface CatalogueSizeRow {
  live_stores: number
  test_stores: number
  contacts: number
  test_contacts: number
}

/** Counts stores and contacts. Reads an index of each table, so the caller keeps the result for a while. */
export async function countCatalogue(db: Queryable): Promise<CatalogueSizeRow> {
  const { rows } = await db.query<CatalogueSizeRow>(`
select (select count(*) from stores where mode = 'live') as live_stores,
       (select count(*) from stores where mode = 'test') as test_stores,
       (select count(*) from contacts) as contacts,
       (select count(*) from stores s join contacts c on c.store_id = s.id where s.mode = 'test') as test_contacts`)
  return rows[0]!
}

export interface BatchRow {
  batch: number
  written_at: Date | null
  /** Stores that were changed by it and by no later batch. */
  stores: number
}

/** The newest batches of the catalogue, with the version of its taxonomy. */
export async function selectRecentBatches(
  db: Queryable,
  limit: number,
): Promise<{ taxonomyVersion: number; batches: BatchRow[] }> {
  const { rows: batches } = await db.query<BatchRow>(
    `
with newest as materialized (
  select batch, written_at from catalogue_batches order by batch desc limit $1::integer
), changed as materialized (
  select batch, count(*) as stores from stores where batch in (select batch from newest) group by batch
)
select n.batch, n.written_at, coalesce(c.stores, 0) as stores
from newest n
left join changed c using (batch)
order by n.batch desc`,
    [limit],
  )
  const { rows } = await db.query<{ version: number }>('select taxonomy_version as version from catalogue_state')
  return { taxonomyVersion: rows[0]!.version, batches }
}

export interface DatabaseFactsRow {
  version: string
  size_bytes: number
  schema_version: number
  last_event_at: Date | null
  /** Events that were received more than a minute before, and are not handled. */
  open_events: number
}

export async function readDatabaseFacts(db: Queryable, openBefore: Date): Promise<DatabaseFactsRow> {
  const { rows } = await db.query<DatabaseFactsRow>(
    `
select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes,
       (select max(version) from schema_migrations) as schema_version,
       (select max(received_at) from billing_events) as last_event_at,
       (select count(*) from billing_events where handled_at is null and received_at < $1::timestamptz) as open_events`,
    [openBefore],
  )
  return rows[0]!
}
