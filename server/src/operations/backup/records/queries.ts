/** Statements that read the live catalogue in pages, in the order in which an import has to take it again. */

import type { Client } from '../../../foundation/db/pool.ts'
import type { StoreChangeRow } from '../../../product/delivery/store-history.ts'

/** Makes the transaction read one snapshot of the database, for as long as the file takes. */
export async function beginSnapshotExport(client: Client): Promise<void> {
  await client.query(`
set transaction isolation level repeatable read, read only;
set local statement_timeout = '60min';
set local idle_in_transaction_session_timeout = '60min'`)
}

export interface StorePageRow {
  id: number
  document: string
  active_ads: number | null
}

export async function selectStoresAfter(client: Client, id: number, limit: number): Promise<StorePageRow[]> {
  const { rows } = await client.query<StorePageRow>(
    `select id, document, active_ads
     from stores
     where mode = 'live' and id > $1::bigint
     order by id
     limit $2::integer`,
    [id, limit],
  )
  return rows
}

export interface ContactPosition {
  store_id: number
  number: number
}

export interface ContactPageRow extends ContactPosition {
  sealed: Buffer
}

/** The next contacts of both modes: only their stores know the mode. */
export async function selectContactsAfter(
  client: Client,
  { store_id, number }: ContactPosition,
  limit: number,
): Promise<ContactPageRow[]> {
  const { rows } = await client.query<ContactPageRow>(
    `select store_id, number, sealed
     from contacts
     where (store_id, number) > ($1::bigint, $2::smallint)
     order by store_id, number
     limit $3::integer`,
    [store_id, number, limit],
  )
  return rows
}

/** The domains of the live ones among these stores. */
export async function readLiveDomains(client: Client, storeIds: number[]): Promise<Map<number, string>> {
  const { rows } = await client.query<{ store_id: number; host: string }>(
    `select store_id, host
     from store_domains
     where store_id = any ($1::bigint[]) and canonical and mode = 'live'`,
    [storeIds],
  )
  return new Map(rows.map((row) => [row.store_id, row.host]))
}

export interface SuppressionRow {
  hash: string
  kind: string
  added_at: Date
}

export async function selectSuppressionsAfter(
  client: Client,
  hash: string | null,
  limit: number,
): Promise<SuppressionRow[]> {
  const { rows } = await client.query<SuppressionRow>(
    `select hash::text as hash, kind, added_at
     from suppressions
     where $1::bigint is null or hash > $1::bigint
     order by suppressions.hash
     limit $2::integer`,
    [hash, limit],
  )
  return rows
}

export interface ChangeKey {
  store_id: number
  batch: number
  field: number
}

export type ChangePageRow = ChangeKey & StoreChangeRow

/** The next changes of stores of both modes. */
export async function selectChangesAfter(
  client: Client,
  { store_id, batch, field }: ChangeKey,
  limit: number,
): Promise<ChangePageRow[]> {
  const { rows } = await client.query<ChangePageRow>(
    `select store_id, batch, field, at, before, after, added, removed
     from store_changes
     where (store_id, batch, field) > ($1::bigint, $2::bigint, $3::smallint)
     order by store_id, batch, field
     limit $4::integer`,
    [store_id, batch, field, limit],
  )
  return rows
}

const countedTables = {
  stores: "stores where mode = 'live'",
  contacts: 'contacts',
  suppressions: 'suppressions',
  history: 'store_changes',
}

/** About how many rows will be read; contacts and changes of the sandbox count too. */
export async function countRowsToRead(client: Client, kind: keyof typeof countedTables): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*) as count from ${countedTables[kind]}`)
  return rows[0]!.count
}
