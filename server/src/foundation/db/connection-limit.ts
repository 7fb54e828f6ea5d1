import type { Queryable } from './pool.ts'

/** How many connections the database accepts from ordinary roles, of all its users together. */
export async function readConnectionLimit(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ limit: number }>(
    `select current_setting('max_connections')::integer
       - current_setting('superuser_reserved_connections')::integer as "limit"`,
  )
  return rows[0]!.limit
}
