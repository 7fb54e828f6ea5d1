import type { Queryable } from '../db/pool.ts'

/** Keeps an account's customer unless it has one; of several at once the first wins. Answers with the one it has. */
export async function keepCustomer(db: Queryable, accountId: number, customerId: string): Promise<string> {
  const { rows } = await db.query<{ customer_id: string }>(
    'update accounts set customer_id = coalesce(customer_id, $2::text) where id = $1::bigint returning customer_id',
    [accountId, customerId],
  )
  return rows[0]!.customer_id
}
