/** Statements on the items of a list, in the account's tables. */
import { type Client, countAdded, type Queryable } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import type { ListPosition } from '../../../foundation/kernel/list-pages.ts'
import type { ListKind } from '../schema.ts'

/** A list, as its items know it. */
export interface ListOfItems {
  accountId: number
  listId: number
}

const tables = {
  stores: { table: 'list_stores', key: 'store_id' },
  contacts: { table: 'list_contacts', key: 'contact_id' },
} as const satisfies Record<ListKind, { table: string; key: string }>

/** Returns how many the list did not have. */
export function insertMembers(
  client: Client,
  kind: ListKind,
  { accountId, listId }: ListOfItems,
  { keys, now }: { keys: readonly number[]; now: Date },
): Promise<number> {
  const { table, key } = tables[kind]
  return countAdded(client, {
    text: `
insert into ${table} (account_id, list_id, ${key}, added_at)
select $1::bigint, $2::bigint, key, $4::timestamptz from unnest($3::bigint[]) as fresh (key)
on conflict do nothing`,
    values: [accountId, listId, keys, now],
  })
}

/** Returns how many the list had. */
export async function deleteMembers(
  client: Client,
  kind: ListKind,
  { accountId, listId }: ListOfItems,
  keys: readonly number[],
): Promise<number> {
  const { table, key } = tables[kind]
  const { rowCount } = await client.query(
    `delete from ${table} where account_id = $1::bigint and list_id = $2::bigint and ${key} = any ($3::bigint[])`,
    [accountId, listId, keys],
  )
  return rowCount ?? 0
}

/** Returns how many the list did not have. */
export function insertPending(
  client: Client,
  mode: Mode,
  { accountId, listId }: ListOfItems,
  { hosts, now }: { hosts: readonly string[]; now: Date },
): Promise<number> {
  return countAdded(client, {
    text: `
insert into list_pending (account_id, list_id, mode, host, added_at)
select $1::bigint, $2::bigint, $3::text, host, $5::timestamptz from unnest($4::text[]) as fresh (host)
on conflict do nothing`,
    values: [accountId, listId, mode, hosts, now],
  })
}

/** Returns how many the list had. */
export async function deletePending(
  client: Client,
  { accountId, listId }: ListOfItems,
  hosts: readonly string[],
): Promise<number> {
  const { rowCount } = await client.query(
    'delete from list_pending where account_id = $1::bigint and list_id = $2::bigint and host = any ($3::text[])',
    [accountId, listId, hosts],
  )
  return rowCount ?? 0
}

export interface ListMemberRow {
  /** The store or the contact. */
  key: number
  added_at: Date
}

/** Members that were added before the position, newest first. */
export async function selectListMembers(
  db: Queryable,
  kind: ListKind,
  { accountId, listId }: ListOfItems,
  { after, limit }: { after: ListPosition | null; limit: number },
): Promise<ListMemberRow[]> {
  const { table, key } = tables[kind]
  const { rows } = await db.query<ListMemberRow>(
    `select ${key} as key, added_at from ${table}
     where account_id = $1::bigint and list_id = $2::bigint and (added_at, ${key}) < ($3::timestamptz, $4::bigint)
     order by added_at desc, ${key} desc
     limit $5::integer`,
    [accountId, listId, after?.at ?? 'infinity', after?.row ?? 0, limit],
  )
  return rows
}

export interface PendingRow {
  host: string
  number: number
  added_at: Date
}

/** Domains that were added before the position, newest first. */
export async function selectPending(
  db: Queryable,
  { accountId, listId }: ListOfItems,
  { after, limit }: { after: ListPosition | null; limit: number },
): Promise<PendingRow[]> {
  const { rows } = await db.query<PendingRow>(
    `select host, number, added_at from list_pending
     where account_id = $1::bigint and list_id = $2::bigint and (added_at, number) < ($3::timestamptz, $4::bigint)
     order by added_at desc, number desc
     limit $5::integer`,
    [accountId, listId, after?.at ?? 'infinity', after?.row ?? 0, limit],
  )
  return rows
}
