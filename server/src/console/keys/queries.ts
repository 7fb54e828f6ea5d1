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

/** Whether a person of the console revoked a key, and not the command line: the audit log tells. */
export async function wasRevokedByPerson(
  db: Queryable,
  key: { accountId: number; publicId: string; revokedAt: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
select 1 from audit_log
where account_id = $1::bigint and person_id is not null and action = 'key.revoked' and target = $2::text
  and at = $3::timestamptz`,
    [key.accountId, key.publicId, key.revokedAt],
  )
  return rowCount !== 0
}
