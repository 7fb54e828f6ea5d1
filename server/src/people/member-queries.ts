import type { Role } from '../auth/roles.ts'
import type { Queryable } from '../db/pool.ts'

/** Serializes changes of an account's members and invitations until the end of the transaction. */
export async function lockMembers(db: Queryable, accountId: number): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('members of account ' || $1::bigint, 0))`, [accountId])
}

/** The role of a person in an account; undefined for somebody who is no member. */
export async function selectRole(db: Queryable, accountId: number, personId: number): Promise<Role | undefined> {
  const { rows } = await db.query<{ role: Role }>(
    'select role from members where account_id = $1::bigint and person_id = $2::bigint',
    [accountId, personId],
  )
  return rows[0]?.role
}

// Decided under the lock of `lockMembers`, so that two owners cannot remove each other.
const keepsAnOwner = `exists (
  select 1 from members o
  where o.account_id = m.account_id and o.person_id <> m.person_id and o.role = 'owner')`

/** Changes the role of a member, unless the account would lose its last owner; returns whether it did. */
export async function updateRole(
  db: Queryable,
  { accountId, personId, role }: { accountId: number; personId: number; role: Role },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update members m
set role = $3::text
where m.account_id = $1::bigint and m.person_id = $2::bigint
  and (m.role <> 'owner' or $3::text = 'owner' or ${keepsAnOwner})`,
    [accountId, personId, role],
  )
  return rowCount === 1
}

/** Removes a member, unless an open account would lose its last owner; returns whether it did. */
export async function deleteUnlessLastOwner(
  db: Queryable,
  { accountId, personId }: { accountId: number; personId: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
delete from members m
using accounts a
where m.account_id = $1::bigint and m.person_id = $2::bigint and a.id = m.account_id
  and (m.role <> 'owner' or a.closed_at is not null or ${keepsAnOwner})`,
    [accountId, personId],
  )
  return rowCount === 1
}
