import type { Queryable } from '../../foundation/db/pool.ts'

/** The number within the store of its first contact in a role. */
export async function selectContactNumber(
  db: Queryable,
  { storeId, role }: { storeId: number; role: string },
): Promise<number | undefined> {
  const { rows } = await db.query<{ number: number }>(
    'select number from contacts where store_id = $1::bigint and role = $2::text order by number limit 1',
    [storeId, role],
  )
  return rows[0]?.number
}
