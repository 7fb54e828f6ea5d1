import type { Queryable } from '../db/pool.ts'

/**
 * Keeps an account's customer in place of `replaced`, or as its first; of several at once the first wins. Answers with the
 * one it has.
 */
export async function keepCustomer(
  db: Queryable,
  accountId: number,
  customerId: string,
  replaced: string | null,
): Promise<string> {
  const { rows } = await db.query<{ customer_id: string }>(
    `update accounts
     set customer_id = case when customer_id is not distinct from $3::text then $2::text else customer_id end
     where id = $1::bigint
     returning customer_id`,
    [accountId, customerId, replaced],
  )
  return rows[0]!.customer_id
}
