/** Statements that write the history of stores. */
import type { Client, Queryable } from '../../foundation/db/pool.ts'
import { copyLines, copyNull, escapeText } from '../writing/bulk-insert.ts'

/** A row of `store_changes`, without its batch. */
export interface StoreChangeInsert {
  storeId: number
  field: number
  before: string | null
  after: string | null
  /** Not empty. */
  added: string[] | null
  removed: string[] | null
}

/** Inserts what a batch changed with COPY. `at` is when the batch was written (`recordBatch`). */
export async function bulkInsertChanges(
  client: Client,
  { batch, at }: { batch: number; at: Date },
  rows: Iterable<StoreChangeInsert>,
): Promise<void> {
  const shared = `${batch}\t${at.toISOString()}`
  await copyLines(
    client,
    'copy store_changes (batch, at, store_id, field, before, after, added, removed) from stdin',
    rows,
    ({ storeId, field, before, after, added, removed }) =>
      `${shared}\t${storeId}\t${field}\t${textOf(before)}\t${textOf(after)}\t${arrayOf(added)}\t${arrayOf(removed)}\n`,
  )
}

function textOf(value: string | null): string {
  return value === null ? copyNull : escapeText(value)
}

/** Hosts and values of the taxonomy contain nothing that has to be escaped. Quoted, because a value may read "null". */
function arrayOf(values: string[] | null): string {
  return values === null ? copyNull : `{${values.map((value) => `"${value}"`).join(',')}}`
}

/** Of the live stores with these domains, those that have not changed since they were added, by domain. */
export async function selectUnchangedStores(client: Client, domains: string[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ host: string; store_id: number }>(
    `with hosts as materialized (
       select host, store_id from store_domains where mode = 'live' and canonical and host = any ($1::text[])
     ), histories as materialized (
       select store_id, count(*) as changes
       from store_changes
       where store_id = any (array(select store_id from hosts))
       group by store_id
     )
     select hosts.host, hosts.store_id
     from hosts
     join histories on histories.store_id = hosts.store_id
     where histories.changes = 1`,
    [domains],
  )
  return new Map(rows.map(({ host, store_id }) => [host, store_id]))
}

export async function deleteChangesOf(client: Client, storeIds: number[]): Promise<void> {
  await client.query('delete from store_changes where store_id = any ($1::bigint[])', [storeIds])
}

/**
 * Deletes the oldest changes made at `expiredAt` or earlier: the first `batchSize`, and all of the batch that the last of
 * them belongs to. Returns how many.
 */
export async function deleteOldestChanges(db: Queryable, expiredAt: Date, batchSize: number): Promise<number> {
  const { rowCount } = await db.query({
    name: 'delete_oldest_changes',
    text: `
delete from store_changes
where at <= $1::timestamptz
  and (at, batch) <= (select coalesce(max(at), 'infinity'), coalesce(max(batch), ${Number.MAX_SAFE_INTEGER})
                      from (select at, batch from store_changes order by at, batch offset $2::integer limit 1) as last)`,
    values: [expiredAt, batchSize],
  })
  return rowCount ?? 0
}
