/** Statements that take stores and contacts that leave the catalogue off all lists. They have an index on the key alone. */
import type { Client } from '../../../foundation/db/pool.ts'
import { changedAt } from '../queries.ts'
import type { ListKind } from '../schema.ts'
import { lockListsWhere } from './lock-queries.ts'

const members = {
  stores: { table: 'list_stores', key: 'store_id' },
  contacts: { table: 'list_contacts', key: 'contact_id' },
} as const satisfies Record<ListKind, { table: string; key: string }>

/** Locks the lists that have any of these members. Returns whether there are any. */
export function lockListsHolding(client: Client, kind: ListKind, keys: readonly number[]): Promise<boolean> {
  const { table, key } = members[kind]
  return lockListsWhere(client, table, `${key} = any ($1::bigint[])`, [keys])
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
