import type { Queryable } from '../db/pool.ts'
import type { Mode } from '../kernel/ids.ts'

/** Which stores answer to any of the hosts, under their domain or an alias. */
export async function findStoreIds(db: Queryable, mode: Mode, hosts: string[]): Promise<number[]> {
  const { rows } = await db.query<{ store_id: number }>({
    name: 'find_store_ids',
    text: `
select distinct store_id from store_domains
where mode = $1::text and host = any ($2::text[])`,
    values: [mode, hosts],
  })
  return rows.map((row) => row.store_id)
}
