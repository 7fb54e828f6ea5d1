/** The statements of an import, each by the primary keys and indexes of the tables it touches. */
import { randomBytes } from 'node:crypto'
import type { Client, Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'
import { catalogueChannel } from '../search/replica/queries.ts'

/**
 * Settings of one transaction of an import. Its statements are longer than a request's, and it may wait for the
 * transaction of another import. Every read goes by an index, also while a table is filled for the first time and the
 * planner has no statistics that say so. A longer pending list makes the token index cheaper to write.
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
 * Texts without line breaks as one parameter, for `string_to_array`: the driver's own way of writing a list looks at each
 * character of each text. What is rendered as JSON or by `formatPgArray` holds no line break.
 */
export function joinLines(texts: string[]): string {
  return texts.join('\n')
}

/** A list of numbers as PostgreSQL writes it; those of 64 bits, which JavaScript's would round, are texts. */
export function formatPgArray(numbers: readonly (number | string)[]): string {
  return `{${numbers.join(',')}}`
}

/** The numbers of a list that is written like that. */
export function parsePgArray(text: string): string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}

/** Takes the right to write the catalogue until the transaction ends; every writer does so first. */
export async function lockCatalogue(client: Client): Promise<{ batch: number; taxonomyVersion: number }> {
  const { rows } = await client.query<{ batch: number; taxonomyVersion: number }>(
    'select batch, taxonomy_version as "taxonomyVersion" from catalogue_state for update',
  )
  return rows[0]!
}

/** Gives the transaction's changes their number, and tells whoever follows the catalogue, once it has committed. */
export async function recordBatch(client: Client, batch: number): Promise<void> {
  await client.query(
    `with numbered as (update catalogue_state set batch = $1::bigint),
          marked as (insert into catalogue_batches (batch, mark) values ($1::bigint, $2::bigint))
     select pg_notify('${catalogueChannel}', '')`,
    [batch, randomBytes(8).readBigInt64BE().toString()],
  )
}

export async function isHostKnown(db: Queryable, mode: Mode, host: string): Promise<boolean> {
  const { rows } = await db.query('select from store_domains where mode = $1::text and host = $2::text', [mode, host])
  return rows.length > 0
}

/** The stores that any of the hosts leads to. */
export async function findStoreIdsOfHosts(client: Client, mode: Mode, hosts: string[]): Promise<number[]> {
  const { rows } = await client.query<{ store_id: number }>(
    'select distinct store_id from store_domains where mode = $1::text and host = any ($2::text[])',
    [mode, hosts],
  )
  return rows.map((row) => row.store_id)
}

export interface StoredStoreRow {
  id: number
  document: string
  active_ads: number | null
  /** A sorted list, as PostgreSQL writes it: few readers look into it. */
  tokens: string
  next_contact_number: number
}

export async function readStoredStores(client: Client, storeIds: number[]): Promise<StoredStoreRow[]> {
  const { rows } = await client.query<StoredStoreRow>(
    `select id, document, active_ads, tokens::text as tokens, next_contact_number
     from stores
     where id = any ($1::bigint[])`,
    [storeIds],
  )
  return rows
}

/** The aliases of those of the stores that have any, sorted. */
export async function readAliases(client: Client, storeIds: number[]): Promise<Map<number, string[]>> {
  const { rows } = await client.query<{ store_id: number; hosts: string[] }>(
    `select store_id, array_agg(host order by host) as hosts
     from store_domains
     where store_id = any ($1::bigint[]) and not canonical
     group by store_id`,
    [storeIds],
  )
  return new Map(rows.map((row) => [row.store_id, row.hosts]))
}

/** Ids for new stores. Numbers that end up unused leave gaps, which nobody minds. */
export async function allocateStoreIds(client: Client, count: number): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `select nextval((select pg_get_serial_sequence('stores', 'id'))::regclass) as id from generate_series(1, $1::integer)`,
    [count],
  )
  return rows.map((row) => row.id)
}

/** A row of stores as it is written, apart from what all rows of a batch share. */
export interface StoreRow {
  id: number
  negatedScore: number
  tokens: number[]
  activeAds: number | null
  createdEstimate: string | null
  firstDiscoveredAt: string | null
  document: string
  preview: string
}

export async function updateStores(
  client: Client,
  batch: number,
  documentVersion: number,
  rows: StoreRow[],
): Promise<void> {
  const column = <K extends keyof StoreRow>(name: K) => rows.map((row) => row[name])
  await client.query(
    `update stores as s
     set batch = $1::bigint, document_version = $2::smallint, negated_score = fresh.negated_score,
         tokens = fresh.tokens::integer[], active_ads = fresh.active_ads, created_estimate = fresh.created_estimate,
         first_discovered_at = fresh.first_discovered_at, document = fresh.document, preview = fresh.preview
     from unnest($3::bigint[], $4::double precision[], string_to_array($5::text, E'\\n'), $6::integer[],
                 $7::timestamptz[], $8::timestamptz[], string_to_array($9::text, E'\\n'),
                 string_to_array($10::text, E'\\n'))
       as fresh (id, negated_score, tokens, active_ads, created_estimate, first_discovered_at, document, preview)
     where s.id = fresh.id`,
    [
      batch,
      documentVersion,
      column('id'),
      column('negatedScore'),
      joinLines(rows.map(({ tokens }) => formatPgArray(tokens))),
      column('activeAds'),
      column('createdEstimate'),
      column('firstDiscoveredAt'),
      joinLines(column('document')),
      joinLines(column('preview')),
    ],
  )
}

export async function deleteHosts(client: Client, mode: Mode, hosts: string[]): Promise<void> {
  await client.query('delete from store_domains where mode = $1::text and host = any ($2::text[])', [mode, hosts])
}

/** Makes what was written quick to search: sorts the new tokens into their index, and counts afresh for the planner. */
export async function refreshSearchStatistics(client: Client, isLarge: boolean): Promise<void> {
  await client.query(`select gin_clean_pending_list('stores_by_token'::regclass)`)
  if (isLarge) await client.query('analyze stores, store_domains, contacts')
}
