/** Statements of the store import. */

import type { Client } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import { copyLines, copyNull, escapeText } from '../../writing/bulk-insert.ts'
import { formatPgArray, joinLines, keptApart } from '../../writing/queries.ts'

/** Returns the ids of the stores that have any of the hosts. */
export async function findStoreIdsOfHosts(client: Client, mode: Mode, hosts: string[]): Promise<number[]> {
  const { rows } = await client.query<{ store_id: number }>(
    'select distinct store_id from store_domains where mode = $1::text and host = any ($2::text[])',
    [mode, hosts],
  )
  return rows.map((row) => row.store_id)
}

/** Returns the sorted aliases of each store that has any. */
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

/** Allocates ids for new stores. Unused ids leave gaps, which is fine. */
export async function allocateStoreIds(client: Client, count: number): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `select nextval((select pg_get_serial_sequence('stores', 'id'))::regclass) as id from generate_series(1, $1::integer)`,
    [count],
  )
  return rows.map((row) => row.id)
}

/** The columns of `stores` that differ between the rows of a batch. */
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

/** Inserts stores with COPY; `rows` is consumed as fast as PostgreSQL accepts them. */
export async function bulkInsertStores(
  client: Client,
  shared: { mode: Mode; batch: number; documentVersion: number },
  rows: Iterable<StoreRow>,
): Promise<void> {
  const head = `${shared.mode}\t${shared.batch}\t${shared.documentVersion}`
  await copyLines(
    client,
    `copy stores (mode, batch, document_version, id, negated_score, tokens, active_ads, created_estimate,
                  first_discovered_at, document, preview) from stdin`,
    rows,
    (row) =>
      `${head}\t${row.id}\t${row.negatedScore}\t${formatPgArray(row.tokens)}\t${row.activeAds ?? copyNull}\t${
        row.createdEstimate ?? copyNull
      }\t${row.firstDiscoveredAt ?? copyNull}\t${escapeText(row.document)}\t${escapeText(row.preview)}\n`,
  )
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
         tokens = fresh.tokens, active_ads = fresh.active_ads, created_estimate = fresh.created_estimate,
         first_discovered_at = fresh.first_discovered_at, document = fresh.document, preview = fresh.preview
     from (
       select id, negated_score, tokens::integer[] as tokens, active_ads, created_estimate, first_discovered_at, document,
              preview
       from unnest($3::bigint[], $4::double precision[], string_to_array($5::text, E'\\n'), $6::integer[],
                   $7::timestamptz[], $8::timestamptz[], string_to_array($9::text, E'\\n'),
                   string_to_array($10::text, E'\\n'))
         as given (id, negated_score, tokens, active_ads, created_estimate, first_discovered_at, document, preview)
       ${keptApart}
     ) as fresh
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

export interface HostRow {
  host: string
  storeId: number
  isCanonical: boolean
}

export async function bulkInsertHosts(client: Client, mode: Mode, rows: Iterable<HostRow>): Promise<void> {
  await copyLines(
    client,
    'copy store_domains (mode, host, store_id, canonical) from stdin',
    rows,
    // A host in normal form needs no escaping.
    (row) => `${mode}\t${row.host}\t${row.storeId}\t${row.isCanonical}\n`,
  )
}

export async function deleteHosts(client: Client, mode: Mode, hosts: string[]): Promise<void> {
  await client.query('delete from store_domains where mode = $1::text and host = any ($2::text[])', [mode, hosts])
}
