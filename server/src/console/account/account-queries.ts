import type { Queryable } from '../../db/pool.ts'

export async function updateAccountName(db: Queryable, id: number, name: string): Promise<void> {
  await db.query('update accounts set name = $2::text where id = $1::bigint', [id, name])
}

/** Marks an account as closed for good; returns whether it was open. */
export async function updateClosed(db: Queryable, id: number, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update accounts set closed_at = $2::timestamptz where id = $1::bigint and closed_at is null',
    [id, now],
  )
  return rowCount === 1
}

/** Revokes all keys of an account; returns how many. */
export async function revokeKeysOf(db: Queryable, accountId: number, now: Date): Promise<number> {
  const { rowCount } = await db.query(
    'update api_keys set revoked_at = $2::timestamptz where account_id = $1::bigint and revoked_at is null',
    [accountId, now],
  )
  return rowCount ?? 0
}

/** Revokes all open invitations of an account. */
export async function revokeInvitationsOf(db: Queryable, accountId: number, now: Date): Promise<void> {
  await db.query(
    `
update invitations
set revoked_at = $2::timestamptz
where account_id = $1::bigint and accepted_at is null and revoked_at is null`,
    [accountId, now],
  )
}
