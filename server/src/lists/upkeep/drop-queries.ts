/** Statements that take stores and contacts that leave the catalogue off all lists. They have an index on the key alone. */
import type { Client } from '../../db/pool.ts'
import { changedAt } from '../queries.ts'
import type { ListKind } from '../schema.ts'

const members = {
  stores: { table: 'list_stores', key: 'store_id' },
  contacts: { table: 'list_contacts', key: 'contact_id' },
} as const satisfies Record<ListKind, { table: string; key: string }>

/** The lists that have any of these members, by account, in ascending order. */
export async function findListsHolding(
  client: Client,
  kind: ListKind,
  keys: readonly number[],
): Promise<{ accountId: number; listIds: number[] }[]> {
  const { table, key } = members[kind]
  const { rows } = await client.query<{ account_id: number; list_ids: string }>(
    `select account_id, string_agg(distinct list_id::text, ',') as list_ids
     from ${table}
     where ${key} = any ($1::bigint[])
     group by account_id
     order by account_id`,
    [keys],
  )
  return rows.map((row) => ({ accountId: row.account_id, listIds: row.list_ids.split(',').map(Number) }))
}

/** Locks lists of one account: rows of several accounts may be on several machines, which lock no rows together. */
export async function lockListsOf(client: Client, accountId: number, listIds: readonly number[]): Promise<void> {
  await client.query(
    'select 1 from lists where account_id = $1::bigint and id = any ($2::bigint[]) order by id for update',
    [accountId, listIds],
  )
}

/** Deletes the members from the lists, which are locked, and counts them. */
export async function dropFromLists(client: Client, kind: ListKind, keys: readonly number[], now: Date): Promise<void> {
  const { table, key } = members[kind]
  await client.query(
    `with gone as (
       delete from ${table} where ${key} = any ($1::bigint[]) returning account_id, list_id
     ), counts as (
       select account_id, list_id, count(*) as items from gone group by 1, 2
     )
     update lists
     set items = lists.items - counts.items, updated_at = ${changedAt('$2')}
     from counts
     where lists.account_id = counts.account_id and lists.id = counts.list_id`,
    [keys, now],
  )
}
