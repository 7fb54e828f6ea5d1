import type { Queryable } from '../../db/pool.ts'

/** How many keys of an account are active or suspended. */
export async function countUsableKeys(db: Queryable, accountId: number, now: Date): Promise<number> {
  const { rows } = await db.query<{ usable: number }>(
    `
select count(*) as usable
from api_keys
where account_id = $1::bigint and revoked_at is null and (expires_at is null or expires_at > $2::timestamptz)`,
    [accountId, now],
  )
  return rows[0]!.usable
}

/**
 * Undoes the revocation of a key by a person of the console, if it happened at `earliest` or later. Returns whether it was
 * undone. The audit log tells such a revocation from one by the command line.
 */
export async function undoRevocation(
  db: Queryable,
  key: { accountId: number; id: number; publicId: string; earliest: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update api_keys k
set revoked_at = null
where account_id = $1::bigint and id = $2::bigint and revoked_at >= $4::timestamptz
  and exists (
    select 1 from audit_log a
    where a.account_id = $1::bigint and a.person_id is not null and a.action = 'key.revoked' and a.target = $3::text
      and a.at = k.revoked_at)`,
    [key.accountId, key.id, key.publicId, key.earliest],
  )
  return rowCount === 1
}
