import type { Queryable } from '../db/pool.ts'

interface NameRow {
  id: number
  name: string
}

/** The names of keys of an account, by id. */
export async function selectKeyNames(
  db: Queryable,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await db.query<NameRow>(
    'select id, name from api_keys where account_id = $1::bigint and id = any ($2::bigint[])',
    [accountId, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The names of people, by id. */
export async function selectPersonNames(db: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await db.query<NameRow>('select id, name from people where id = any ($1::bigint[])', [ids])
  return new Map(rows.map(({ id, name }) => [id, name]))
}
