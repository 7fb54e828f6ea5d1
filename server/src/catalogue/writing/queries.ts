/** Statements shared by all writers of the catalogue. Each uses a primary key or index. */
import { randomBytes } from 'node:crypto'
import type { Client, Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import { catalogueChannel } from '../../search/replica/queries.ts'
import type { SignatureRow } from './search-columns.ts'

/**
 * Sets the timeouts and planner settings of an import's transaction. Its statements take longer than those of a request,
 * and it may wait for another import. Scans are off because the planner has no statistics while tables are filled for the
 * first time; every read has an index. A longer pending list makes the token index cheaper to write.
 */
export async function prepareCatalogueTransaction(client: Client): Promise<void> {
  await client.query(`
    select set_config(name, value, true)
    from (values ('statement_timeout', '10min'), ('lock_timeout', '5min'),
                 ('idle_in_transaction_session_timeout', '5min'),
                 ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'),
                 ('gin_pending_list_limit', '16MB')) as settings (name, value)`)
}

/**
 * Joins texts without line breaks into one parameter for `string_to_array`. The driver's own array format is slow, because
 * it escapes character by character. Rendered JSON and the result of `formatPgArray` contain no line breaks.
 */
export function joinLines(texts: string[]): string {
  return texts.join('\n')
}

/**
 * Ends a subquery whose casts must not become part of the change that reads it: Citus refuses a cast that is not immutable there. A
 * materialized expression does the same, but copies each document once more.
 */
export const keptApart = 'offset 0'

/** Formats numbers as a PostgreSQL array. 64-bit numbers are strings, because JavaScript would round them. */
export function formatPgArray(numbers: readonly (number | string)[]): string {
  return `{${numbers.join(',')}}`
}

/** Parses a PostgreSQL array of numbers. */
export function parsePgArray(text: string): string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}

/** Locks the catalogue for writing until the transaction ends. Every writer calls this first. */
export async function lockCatalogue(client: Client): Promise<{ batch: number; taxonomyVersion: number }> {
  const { rows } = await client.query<{ batch: number; taxonomyVersion: number }>(
    'select batch, taxonomy_version as "taxonomyVersion" from catalogue_state for update',
  )
  return rows[0]!
}

/** The changes of a batch. */
export interface BatchContents {
  /** How many rows of `stores` and `removed_stores` have its number. */
  rows: number
  /** The batches that the stores which it changed or removed belonged to; as often as there are stores of one. */
  left: readonly number[]
}

/**
 * Records a batch once it is written; replicas are notified when it commits. Readers take it when they see all of its rows. The
 * batches that its stores belonged to have fewer from now on; one that has others than it wrote has an unknown number.
 */
export async function recordBatch(
  client: Client,
  batch: number,
  { rows, left }: BatchContents,
  now: Date,
): Promise<void> {
  const counts = new Map<number, number>()
  const taken = '($6::integer[])[array_position($5::bigint[], batch)]'
  for (const each of left) counts.set(each, (counts.get(each) ?? 0) + 1)
  await client.query(
    `with numbered as (update catalogue_state set batch = $1::bigint),
          marked as (insert into catalogue_batches (batch, mark, written_at, stores)
                     values ($1::bigint, $2::bigint, $3::timestamptz, $4::integer)),
          lowered as (update catalogue_batches
                      set stores = case when stores >= ${taken} then stores - ${taken} end
                      where batch = any ($5::bigint[]))
     select pg_notify('${catalogueChannel}', '')`,
    [batch, randomBytes(8).readBigInt64BE().toString(), now, rows, [...counts.keys()], [...counts.values()]],
  )
}

export async function isHostKnown(db: Queryable, mode: Mode, host: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from store_domains where mode = $1::text and host = $2::text', [mode, host])
  return rows.length > 0
}

export interface StoredStoreRow {
  id: number
  batch: number
  document: string
  active_ads: number | null
  /** Sorted, in PostgreSQL's array format, because few callers parse it. */
  tokens: string
  next_contact_number: number
}

export async function readStoredStores(client: Client, storeIds: number[]): Promise<StoredStoreRow[]> {
  const { rows } = await client.query<StoredStoreRow>(
    `select id, batch, document, active_ads, tokens::text as tokens, next_contact_number
     from stores
     where id = any ($1::bigint[])`,
    [storeIds],
  )
  return rows
}

/** Counts the contacts of each store by role and traits. */
export async function readSignatures(client: Client, storeIds: number[]): Promise<Map<number, SignatureRow[]>> {
  const { rows } = await client.query<SignatureRow & { store_id: number }>(
    `select store_id, role, traits, count(*) as total, bool_or(revealable) as revealable,
            bool_or(verified_revealable) as verified_revealable, sum(verified_emails) as verified_emails
     from contacts
     where store_id = any ($1::bigint[])
     group by store_id, role, traits`,
    [storeIds],
  )
  const byStore = new Map<number, SignatureRow[]>()
  for (const row of rows) {
    const list = byStore.get(row.store_id)
    if (list) list.push(row)
    else byStore.set(row.store_id, [row])
  }
  return byStore
}

/** Writes the documents, tokens and next contact numbers of stores whose contacts changed. */
export async function updateStoreSummaries(
  client: Client,
  batch: number,
  documentVersion: number,
  rows: StoredStoreRow[],
): Promise<void> {
  await client.query(
    `update stores as s
     set batch = $1::bigint, document_version = $2::smallint, document = fresh.document,
         tokens = fresh.tokens, next_contact_number = fresh.next_contact_number
     from (
       select id, document, tokens::integer[] as tokens, next_contact_number
       from unnest($3::bigint[], string_to_array($4::text, E'\\n'), string_to_array($5::text, E'\\n'), $6::integer[])
         as given (id, document, tokens, next_contact_number)
       ${keptApart}
     ) as fresh
     where s.id = fresh.id`,
    [
      batch,
      documentVersion,
      rows.map((row) => row.id),
      joinLines(rows.map(({ document }) => document)),
      joinLines(rows.map(({ tokens }) => tokens)),
      rows.map((row) => row.next_contact_number),
    ],
  )
}

/** Flushes the pending list of the token index; after a large import, also updates the planner's statistics and our own. */
export async function refreshSearchStatistics(client: Client, isLarge: boolean, now: Date): Promise<void> {
  await client.query(`select gin_clean_pending_list('stores_by_token'::regclass)`)
  if (!isLarge) return
  await client.query('analyze stores, store_domains, contacts')
  const { stores, contacts } = await countAnalyzed(client)
  await client.query(
    `insert into catalogue_statistics (stores, contacts, taken_at)
     values ($1::bigint, $2::bigint, $3::timestamptz)
     on conflict (id) do update set stores = excluded.stores, contacts = excluded.contacts, taken_at = excluded.taken_at`,
    [stores, contacts, now],
  )
}

/** About how many rows the tables have that were just analyzed. */
async function countAnalyzed(client: Client): Promise<{ stores: number; contacts: number }> {
  const { rows } = await client.query<{ name: 'stores' | 'contacts'; count: number }>(
    `select relname::text as name, reltuples::bigint as count
     from pg_class
     where oid in ('stores'::regclass, 'contacts'::regclass)`,
  )
  const counts = { stores: 0, contacts: 0 }
  for (const { name, count } of rows) counts[name] = count > 0 ? count : await countRows(client, name)
  return counts
}

/** Spread over machines, a table is known to PostgreSQL as empty here. Elsewhere counting an empty table costs nothing. */
async function countRows(client: Client, table: 'stores' | 'contacts'): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*) from ${table}`)
  return rows[0]!.count
}
