import type { Queryable } from '../../foundation/db/pool.ts'

/** The accounts of the keys that exist. */
export async function selectAccountsOfKeys(
  db: Queryable,
  secretHashes: Buffer[],
): Promise<{ secret_hash: Buffer; account_id: number }[]> {
  const { rows } = await db.query<{ secret_hash: Buffer; account_id: number }>({
    name: 'select_accounts_of_keys',
    text: 'select secret_hash, account_id from api_keys where secret_hash = any ($1::bytea[])',
    values: [secretHashes],
  })
  return rows
}

export interface UsedKey {
  id: number
  /** The hour of its last use. */
  hour: Date
}

/**
 * Writes the last use of keys. A later hour written by another server stays, unless it is after `latest`, which only a
 * wrong clock produces. Rows are locked in a fixed order, so that two servers cannot deadlock.
 */
export async function updateLastUsed(db: Queryable, used: readonly UsedKey[], latest: Date): Promise<void> {
  await db.query({
    name: 'update_last_use',
    text: `
with used as materialized (
  select id, hour from unnest($1::bigint[], $2::timestamptz[]) as u (id, hour) order by id
)
update api_keys k
set last_used_at = used.hour
from used
where k.id = used.id and (k.last_used_at is null or k.last_used_at < used.hour or k.last_used_at > $3::timestamptz)`,
    values: [used.map(({ id }) => id), used.map(({ hour }) => hour), latest],
  })
}
