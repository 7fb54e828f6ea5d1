import copyStreams from 'pg-copy-streams'
import type { Client, Queryable } from '../../db/pool.ts'

/** What the catalogue in memory reads from the database. */

/** Where the catalogue stands. Marks are texts: numbers of 64 bits. */
export interface CatalogueState {
  batch: number
  /** Null for a batch from before there were marks. */
  mark: string | null
}

/** The newest batch, and what the database has as the mark of one that was seen before. */
export async function readCatalogueState(
  db: Queryable,
  seenBatch: number,
): Promise<CatalogueState & { markOfSeen: string | null }> {
  const { rows } = await db.query<CatalogueState & { markOfSeen: string | null }>(
    `select state.batch, newest.mark::text as mark, seen.mark::text as "markOfSeen"
     from catalogue_state as state
     left join catalogue_batches as newest on newest.batch = state.batch
     left join catalogue_batches as seen on seen.batch = $1::bigint`,
    [seenBatch],
  )
  return rows[0]!
}

export async function readHistoryId(db: Queryable, batch: number): Promise<string | null> {
  const { rows } = await db.query<{ mark: string }>(
    'select mark::text as mark from catalogue_batches where batch = $1::bigint',
    [batch],
  )
  return rows[0]?.mark ?? null
}

/** The batch up to which about so many stores changed after another one; null when there are fewer. */
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

/** How many rows the planner takes the tables to have: counting them would read them. */
export async function estimateRows(db: Queryable): Promise<CatalogueCount> {
  const estimate = async (statement: string) => {
    const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `explain (format json) ${statement}`,
    )
    return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows']
  }
  return { stores: await estimate('select from stores'), contacts: await estimate('select from contacts') }
}

/**
 * Makes the transaction one look at the database that may take its time. Changes are then found by their indexes, also
 * where the planner has no idea yet how few they are.
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

/** Rows of id, whether test, negated score, active ads, created, discovered, tokens; null for all stores. */
export function copyStores(client: Client, range: BatchRange | null): AsyncIterable<Buffer> {
  return copyOut(
    client,
    `select s.id, s.mode = 'test', s.negated_score, s.active_ads, s.created_estimate, s.first_discovered_at, s.tokens
     from stores as s ${range ? `where ${isIn(range)}` : ''}`,
  )
}

/** Rows of store, number, traits, token of the role; of all stores, or of those that changed. */
export function copyContacts(client: Client, range: BatchRange | null): AsyncIterable<Buffer> {
  return copyOut(
    client,
    `select c.store_id, c.number, c.traits, role.token
     from ${range ? 'stores as s join contacts as c on c.store_id = s.id' : 'contacts as c'}
     left join taxonomy_values as role on role.facet = 'role' and role.value = c.role
     ${range ? `where ${isIn(range)}` : ''}`,
  )
}

/** COPY takes no parameters; these are whole numbers. */
function isIn({ after, upTo }: BatchRange): string {
  return `s.batch > ${BigInt(after)} and s.batch <= ${BigInt(upTo)}`
}

function copyOut(client: Client, query: string): AsyncIterable<Buffer> {
  return client.query(copyStreams.to(`copy (${query}) to stdout (format binary)`))
}

/** From now on the connection is told of batches that commit. */
export async function listen(client: Client): Promise<void> {
  await client.query(`listen ${catalogueChannel}`)
}

/** Writers of the catalogue notify here when a batch has committed. Only a wake-up: who misses one finds the batch by its number. */
export const catalogueChannel = 'storedex_catalogue'
