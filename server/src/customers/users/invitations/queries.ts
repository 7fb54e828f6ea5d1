import type { Queryable } from '../../../foundation/db/pool.ts'
import type { Role } from '../../auth/roles.ts'

export interface InvitationRow {
  id: number
  account_id: number
  account_name: string
  email: string
  role: Role
  invited_by: number | null
}

export async function insertInvitation(
  db: Queryable,
  invitation: {
    tokenHash: Buffer
    accountId: number
    email: string
    role: Role
    invitedBy: number | null
    now: Date
    expiresAt: Date
  },
): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `
insert into invitations (token_hash, account_id, email, role, invited_by, created_at, expires_at)
values ($1::bytea, $2::bigint, $3::text, $4::text, $5::bigint, $6::timestamptz, $7::timestamptz)
returning id`,
    [
      invitation.tokenHash,
      invitation.accountId,
      invitation.email,
      invitation.role,
      invitation.invitedBy,
      invitation.now,
      invitation.expiresAt,
    ],
  )
  return rows[0]!.id
}

/** An invitation that can still be accepted. */
export async function selectOpenInvitation(
  db: Queryable,
  tokenHash: Buffer,
  now: Date,
): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `
select i.id, i.account_id, a.name as account_name, i.email, i.role, i.invited_by
from invitations i
join accounts a on a.id = i.account_id
where i.token_hash = $1::bytea and i.accepted_at is null and i.revoked_at is null and i.expires_at > $2::timestamptz
  and a.closed_at is null`,
    [tokenHash, now],
  )
  return rows[0]
}

/** Marks an invitation as accepted. Of several at once, one gets it; returns whether this one did. */
export async function acceptInvitation(db: Queryable, id: number, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update invitations
set accepted_at = $2::timestamptz
where id = $1::bigint and accepted_at is null and revoked_at is null and expires_at > $2::timestamptz`,
    [id, now],
  )
  return rowCount === 1
}

/** Deletes invitations that ended before `before`, accepted or not, at most `limit` of them; returns how many. */
export async function deleteOldInvitations(db: Queryable, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `
delete from invitations
where id in (select id from invitations where expires_at < $1::timestamptz limit $2::integer)`,
    [before, limit],
  )
  return rowCount ?? 0
}

export interface OpenInvitationRow {
  id: number
  email: string
  role: Role
  created_at: Date
  expires_at: Date
  invited_by_id: number | null
  invited_by_name: string | null
}

const isOpen = 'i.accepted_at is null and i.revoked_at is null'

/** Invitations that were neither accepted nor revoked, newest first; also those that have expired. */
export async function selectOpenInvitations(
  db: Queryable,
  accountId: number,
  limit: number,
): Promise<OpenInvitationRow[]> {
  const { rows } = await db.query<OpenInvitationRow>(
    `
select i.id, i.email, i.role, i.created_at, i.expires_at, p.id as invited_by_id, p.name as invited_by_name
from invitations i
left join people p on p.id = i.invited_by
where i.account_id = $1::bigint and ${isOpen}
order by i.id desc
limit $2::integer`,
    [accountId, limit],
  )
  return rows
}

/** Returns if the address is a member's, and the numbers of members and open invitations. */
export async function selectInvitationFacts(
  db: Queryable,
  accountId: number,
  email: string,
): Promise<{ is_member: boolean; members: number; open: number }> {
  const { rows } = await db.query<{ is_member: boolean; members: number; open: number }>(
    `
select exists (
         select 1 from members m join people p on p.id = m.person_id
         where m.account_id = $1::bigint and p.email = $2::text) as is_member,
       (select count(*) from members where account_id = $1::bigint) as members,
       (select count(*) from invitations i where i.account_id = $1::bigint and ${isOpen}) as open`,
    [accountId, email],
  )
  return rows[0]!
}

export interface InvitationToChange {
  id: number
  email: string
  role: Role
  expires_at: Date
}

/** An open invitation of the account. */
export async function selectInvitation(
  db: Queryable,
  accountId: number,
  id: number,
): Promise<InvitationToChange | undefined> {
  const { rows } = await db.query<InvitationToChange>(
    `
select id, email, role, expires_at
from invitations i
where account_id = $1::bigint and id = $2::bigint and ${isOpen}
for update`,
    [accountId, id],
  )
  return rows[0]
}

/** Gives an open invitation a new link; the old one ends. Returns whether it was still open. */
export async function renewInvitation(
  db: Queryable,
  invitation: { id: number; tokenHash: Buffer; expiresAt: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update invitations i
set token_hash = $2::bytea, expires_at = $3::timestamptz
where id = $1::bigint and ${isOpen}`,
    [invitation.id, invitation.tokenHash, invitation.expiresAt],
  )
  return rowCount === 1
}

export async function revokeInvitation(db: Queryable, id: number, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update invitations i set revoked_at = $2::timestamptz where id = $1::bigint and ${isOpen}`,
    [id, now],
  )
  return rowCount === 1
}

/** Revokes the open invitations for an address, which a new one replaces. */
export async function revokeInvitationsTo(
  db: Queryable,
  { accountId, email, now }: { accountId: number; email: string; now: Date },
): Promise<void> {
  await db.query(
    `
update invitations i
set revoked_at = $3::timestamptz
where account_id = $1::bigint and email = $2::text and ${isOpen}`,
    [accountId, email, now],
  )
}

/** Revokes the open invitations that a user sent, for all but the allowed roles. */
export async function revokeInvitationsBy(
  db: Queryable,
  sender: { accountId: number; userId: number; allowed: readonly Role[]; now: Date },
): Promise<void> {
  await db.query(
    `
update invitations i
set revoked_at = $4::timestamptz
where account_id = $1::bigint and invited_by = $2::bigint and role <> all ($3::text[]) and ${isOpen}`,
    [sender.accountId, sender.userId, sender.allowed, sender.now],
  )
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
