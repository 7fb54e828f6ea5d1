import type { Role } from '../../auth/roles.ts'
import type { Queryable } from '../../db/pool.ts'

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
