import type { Queryable } from '../../../foundation/db/pool.ts'
import { type Role, roles } from '../../auth/roles.ts'

/** Serializes changes of an account's members and invitations until the end of the transaction. */
export async function lockMembers(db: Queryable, accountId: number): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('members of account ' || $1::bigint, 0))`, [accountId])
}

/** The role of a user in an account; undefined for a user who is no member. */
export async function selectRole(db: Queryable, accountId: number, userId: number): Promise<Role | undefined> {
  const { rows } = await db.query<{ role: Role }>(
    'select role from members where account_id = $1::bigint and person_id = $2::bigint',
    [accountId, userId],
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
  { accountId, userId, role }: { accountId: number; userId: number; role: Role },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update members m
set role = $3::text
where m.account_id = $1::bigint and m.person_id = $2::bigint
  and (m.role <> 'owner' or $3::text = 'owner' or ${keepsAnOwner})`,
    [accountId, userId, role],
  )
  return rowCount === 1
}

/** Removes a member, unless an open account would lose its last owner; returns whether it did. */
export async function deleteUnlessLastOwner(
  db: Queryable,
  { accountId, userId }: { accountId: number; userId: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
delete from members m
using accounts a
where m.account_id = $1::bigint and m.person_id = $2::bigint and a.id = m.account_id
  and (m.role <> 'owner' or a.closed_at is not null or ${keepsAnOwner})`,
    [accountId, userId],
  )
  return rowCount === 1
}

export interface MemberRow {
  person_id: number
  name: string
  email: string
  role: Role
  added_at: Date
}

/** The members of an account: owners first, then by name. */
export async function selectMembers(db: Queryable, accountId: number, limit: number): Promise<MemberRow[]> {
  const { rows } = await db.query<MemberRow>(
    `
select m.person_id, p.name, p.email, m.role, m.added_at
from members m
join people p on p.id = m.person_id
where m.account_id = $1::bigint
order by array_position(array['owner', 'admin', 'member', 'viewer'], m.role), p.name, m.person_id
limit $2::integer`,
    [accountId, limit],
  )
  return rows
}

export interface MembershipRow {
  person_id: number
  account_id: number
  account_name: string
  role: Role
}

/** The accounts of people, by name. */
export async function selectMemberships(db: Queryable, userIds: readonly number[]): Promise<MembershipRow[]> {
  const { rows } = await db.query<MembershipRow>(
    `
select m.person_id, m.account_id, a.name as account_name, m.role
from members m
join accounts a on a.id = m.account_id
where m.person_id = any ($1::bigint[])
order by a.name, a.id`,
    [userIds],
  )
  return rows
}

/** Adds a member, or changes the role of one. */
export async function upsertMember(
  db: Queryable,
  member: { accountId: number; userId: number; role: Role; addedAt: Date },
): Promise<void> {
  await db.query(
    `
insert into members (account_id, person_id, role, added_at)
values ($1::bigint, $2::bigint, $3::text, $4::timestamptz)
on conflict (account_id, person_id) do update set role = excluded.role`,
    [member.accountId, member.userId, member.role, member.addedAt],
  )
}

/** Adds a member. An existing member keeps the role that may do more. */
export async function upsertMemberAtLeast(
  db: Queryable,
  member: { accountId: number; userId: number; role: Role; addedAt: Date },
): Promise<void> {
  await db.query(
    `
insert into members as m (account_id, person_id, role, added_at)
values ($1::bigint, $2::bigint, $3::text, $4::timestamptz)
on conflict (account_id, person_id) do update set role = excluded.role
where array_position($5::text[], m.role) < array_position($5::text[], excluded.role)`,
    [member.accountId, member.userId, member.role, member.addedAt, roles],
  )
}
