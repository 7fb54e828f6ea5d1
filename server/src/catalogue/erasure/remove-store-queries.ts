/** Statements that remove a store. */
import type { Client } from '../../foundation/db/pool.ts'

/** Returns the numbers of the deleted contacts. */
export async function deleteContactsOf(client: Client, storeId: number): Promise<number[]> {
  const { rows } = await client.query<{ number: number }>(
    'delete from contacts where store_id = $1::bigint returning number',
    [storeId],
  )
  return rows.map((row) => row.number)
}

/** Deletes a store's row and its hosts. */
export async function deleteStore(client: Client, storeId: number): Promise<void> {
  await client.query('delete from store_domains where store_id = $1::bigint', [storeId])
  await client.query('delete from stores where id = $1::bigint', [storeId])
}

/** Tells readers that follow the batches. */
export async function recordRemovedStore(client: Client, storeId: number, batch: number): Promise<void> {
  await client.query('insert into removed_stores (store_id, batch) values ($1::bigint, $2::bigint)', [storeId, batch])
}
