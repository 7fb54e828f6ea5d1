import { traitsCount } from '@storedex/search-index'
import copyStreams from 'pg-copy-streams'
import type { Client, Queryable } from '../../foundation/db/pool.ts'

/** The newest batch. History ids are 64-bit numbers, so they are read as text. */
export interface CatalogueState {
  batch: number
  /** Null for batches older than history ids. */
  historyId: string | null
}

/** The newest batch, and the history id that the database has for a batch seen earlier. */
export async function readCatalogueState(
  db: Queryable,
  seenBatch: number,
): Promise<CatalogueState & { seenHistoryId: string | null }> {
  const { rows } = await db.query<CatalogueState & { seenHistoryId: string | null }>(
    `select state.batch, newest.mark::text as "historyId", seen.mark::text as "seenHistoryId"
     from catalogue_state as state
     left join catalogue_batches as newest on newest.batch = state.batch
     left join catalogue_batches as seen on seen.batch = $1::bigint`,
    [seenBatch],
  )
  return rows[0]!
}

export async function readHistoryId(db: Queryable, batch: number): Promise<string | null> {
  const { rows } = await db.query<{ historyId: string }>(
    'select mark::text as "historyId" from catalogue_batches where batch = $1::bigint',
    [batch],
  )
  return rows[0]?.historyId ?? null
}

/**
 * The first batch of a range that does not have all of its rows yet; null when all are complete. Where tables are spread over
 * machines, rows may appear after the number of their batch. Batches of unknown size count as complete.
 */
export async function findIncompleteBatch(db: Queryable, { after, upTo }: BatchRange): Promise<number | null> {
  const { rows } = await db.query<{ batch: number | null }>({
    name: 'find_incomplete_batch',
    text: `
with written as materialized (
  select batch, count(*) as stores from stores where batch > $1::bigint and batch <= $2::bigint group by batch
), removed as materialized (
  select batch, count(*) as stores from removed_stores where batch > $1::bigint and batch <= $2::bigint group by batch
)
select min(b.batch) as batch
from catalogue_batches b
left join written w on w.batch = b.batch
left join removed r on r.batch = b.batch
where b.batch > $1::bigint and b.batch <= $2::bigint and b.stores <> coalesce(w.stores, 0) + coalesce(r.stores, 0)`,
    values: [after, upTo],
  })
  return rows[0]!.batch
}

/** The batch up to which about `stores` stores changed after another batch; null if fewer changed. */
export async function findPortionEnd(db: Queryable, after: number, stores: number): Promise<number | null> {
  const { rows } = await db.query<{ batch: number }>(
    'select batch from stores where batch > $1::bigint order by batch offset $2::integer limit 1',
    [after, stores],
  )
  return rows[0]?.batch ?? null
}

export interface CatalogueCount {
  stores: number
  contacts: number
}

/**
 * About how many rows there are: counting would read the tables. The planner follows small changes, and the counts of the last large
 * import exist where tables are spread over machines, which the planner does not see.
 */
export async function estimateRows(db: Queryable): Promise<CatalogueCount> {
  const estimate = async (statement: string) => {
    const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: { 'Node Type': string; 'Plan Rows': number } }] }>(
      `explain (format json) ${statement}`,
    )
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0]
    // What Citus says of a table on other machines is the same for every table.
    return plan['Node Type'] === 'Custom Scan' ? 0 : plan['Plan Rows']
  }
  const { rows } = await db.query<CatalogueCount>('select stores, contacts from catalogue_statistics')
  const [counted] = rows
  return {
    stores: Math.max(counted?.stores ?? 0, await estimate('select 1 from stores')),
    contacts: Math.max(counted?.contacts ?? 0, await estimate('select 1 from contacts')),
  }
}

/**
 * Begins a transaction with one consistent snapshot and a long timeout. For changes, index scans are forced: without
 * statistics the planner may not know how few rows changed.
 */
export async function beginReadTransaction(client: Client, reads: 'everything' | 'changes'): Promise<void> {
  await client.query('begin transaction isolation level repeatable read, read only')
  await client.query(
    `select set_config(name, value, true)
     from (values ('statement_timeout', '30min'), ('enable_seqscan', $1::text), ('enable_hashjoin', $1::text),
                  ('enable_mergejoin', $1::text)) as settings (name, value)`,
    [reads === 'changes' ? 'off' : 'on'],
  )
}

export async function endReadTransaction(client: Client): Promise<void> {
  await client.query('commit')
}

/** Batches after one and up to another. */
export interface BatchRange {
  after: number
  upTo: number
}

/** Rows of id, is test, negated score, active ads, created, discovered, tokens; all stores if the range is null. */
export function streamStores(client: Client, range: BatchRange | null): AsyncIterable<Buffer> {
  return copyOut(
    client,
    `select s.id, s.mode = 'test', s.negated_score, s.active_ads, s.created_estimate, s.first_discovered_at, s.tokens
     from stores as s ${range ? `where ${isIn(range)}` : ''}`,
  )
}

/** Rows of store, number, traits as the index stores them, role token; of all stores if the range is null. */
export function streamContacts(client: Client, range: BatchRange | null): AsyncIterable<Buffer> {
  return copyOut(
    client,
    `select c.store_id, c.number, (case when c.revealable then c.traits else c.traits + ${traitsCount} end)::smallint, role.token
     from ${range ? 'stores as s join contacts as c on c.store_id = s.id' : 'contacts as c'}
     left join taxonomy_values as role on role.facet = 'role' and role.value = c.role
     ${range ? `where ${isIn(range)}` : ''}`,
  )
}

/** The stores that batches of the range removed; their rows are gone. */
export async function readRemovedStores(client: Client, { after, upTo }: BatchRange): Promise<number[]> {
  const { rows } = await client.query<{ store_id: number }>(
    'select store_id from removed_stores where batch > $1::bigint and batch <= $2::bigint',
    [after, upTo],
  )
  return rows.map((row) => row.store_id)
}

/** COPY takes no parameters; BigInt admits only whole numbers. */
function isIn({ after, upTo }: BatchRange): string {
  return `s.batch > ${BigInt(after)} and s.batch <= ${BigInt(upTo)}`
}

function copyOut(client: Client, query: string): AsyncIterable<Buffer> {
  return client.query(copyStreams.to(`copy (${query}) to stdout (format binary)`))
}

/** Subscribes the connection to notifications of committed batches. */
export async function listen(client: Client): Promise<void> {
  await client.query(`listen ${catalogueChannel}`)
}

/** Notified when a batch commits. Only a wake-up call: a lost notification is made up for by polling. */
export const catalogueChannel = 'storedex_catalogue'
