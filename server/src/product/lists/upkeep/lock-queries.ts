/** Statements that lock lists of several accounts, always in the same order. */
import type { Client } from '../../../foundation/db/pool.ts'

interface ListsOfAccount {
  accountId: number
  listIds: number[]
}

/** Locks the lists that a condition on one of their tables leads to. Returns whether there are any. */
export async function lockListsWhere(
  client: Client,
  table: 'list_stores' | 'list_contacts' | 'list_pending',
  condition: string,
  values: readonly unknown[],
): Promise<boolean> {
  const { rows } = await client.query<{ account_id: number; list_ids: string }>(
    `select account_id, string_agg(distinct list_id::text, ',') as list_ids
     from ${table}
     where ${condition}
     group by account_id
     order by account_id`,
    values as unknown[],
  )
  const lists = rows.map((row) => ({ accountId: row.account_id, listIds: row.list_ids.split(',').map(Number) }))
  for (const each of lists) await lockListsOf(client, each)
  return lists.length > 0
}

/** Of one account: rows of several accounts may be on several machines, which lock no rows together. */
async function lockListsOf(client: Client, { accountId, listIds }: ListsOfAccount): Promise<void> {
  await client.query(
    'select 1 from lists where account_id = $1::bigint and id = any ($2::bigint[]) order by id for update',
    [accountId, listIds],
  )
}
