import type { Queryable } from '../../../foundation/db/pool.ts'
import { type AccountRow, accountColumnsOf } from '../../accounts/queries.ts'
import type { Role } from '../../auth/roles.ts'

interface NewSessionRow {
  tokenHash: Buffer
  userId: number
  now: Date
  expiresAt: Date
  address: string
  userAgent: string
}

export async function insertSession(db: Queryable, session: NewSessionRow): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `
insert into sessions
  (token_hash, person_id, created_at, last_seen_at, expires_at, signed_in_at, address, user_agent)
values ($1::bytea, $2::bigint, $3::timestamptz, $3::timestamptz, $4::timestamptz, $3::timestamptz, $5::text, $6::text)
returning id`,
    [session.tokenHash, session.userId, session.now, session.expiresAt, session.address, session.userAgent],
  )
  return rows[0]!.id
}

/** A session with its user and, where the route is about an account, what the user is there. */
export interface AdmittedSessionRow extends Omit<AccountRow, 'id'> {
  session_id: number
  session_created_at: Date
  last_seen_at: Date
  signed_in_at: Date
  see_as_account_id: number | null
  person_id: number
  person_email: string
  person_name: string
  operator: boolean
  /** Null for a user who is no member. */
  role: Role | null
  /** Null without an account, and for an account that is none of the user's business: its columns are null, too. */
  id: number | null
}

interface SessionAdmission {
  tokenHash: Buffer
  now: Date
  accountId: number | null
}

/**
 * Reads the session, its user, their role in the account and the account's terms: all
 * that decides whether a request of the console may proceed. So a change of rights holds on the next request.
 */
export async function admitSession(db: Queryable, input: SessionAdmission): Promise<AdmittedSessionRow | undefined> {
  const { rows } = await db.query<AdmittedSessionRow>({
    name: 'admit_session',
    text: `
select s.id as session_id, s.created_at as session_created_at, s.last_seen_at, s.signed_in_at, s.see_as_account_id,
       p.id as person_id, p.email as person_email, p.name as person_name, p.operator, m.role,
       ${accountColumnsOf('a')}
from sessions s
join people p on p.id = s.person_id
left join members m on m.person_id = p.id and m.account_id = $3::bigint
left join accounts a
  on a.id = $3::bigint and (m.person_id is not null or p.operator and s.see_as_account_id = $3::bigint)
where s.token_hash = $1::bytea and s.expires_at > $2::timestamptz`,
    values: [input.tokenHash, input.now, input.accountId],
  })
  return rows[0]
}

/** Moves the end of a session that was last seen at or before `seenBefore`. */
export async function touchSession(
  db: Queryable,
  session: { id: number; now: Date; seenBefore: Date; expiresAt: Date },
): Promise<void> {
  await db.query({
    name: 'touch_session',
    text: `
update sessions
set last_seen_at = $2::timestamptz, expires_at = $4::timestamptz
where id = $1::bigint and last_seen_at <= $3::timestamptz`,
    values: [session.id, session.now, session.seenBefore, session.expiresAt],
  })
}

export async function updateSignedInAt(db: Queryable, id: number, now: Date): Promise<void> {
  await db.query('update sessions set signed_in_at = $2::timestamptz where id = $1::bigint', [id, now])
}

/** Whether the session of a user is still there; it then stays until the end of the transaction. */
export async function lockSession(db: Queryable, userId: number, id: number): Promise<boolean> {
  const { rowCount } = await db.query(
    'select 1 from sessions where person_id = $1::bigint and id = $2::bigint for key share',
    [userId, id],
  )
  return rowCount === 1
}

export async function deleteSessionByToken(db: Queryable, tokenHash: Buffer): Promise<void> {
  await db.query('delete from sessions where token_hash = $1::bytea', [tokenHash])
}

/** Deletes one session of a user; returns whether there was one. */
export async function deleteSession(db: Queryable, userId: number, id: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from sessions where person_id = $1::bigint and id = $2::bigint', [
    userId,
    id,
  ])
  return rowCount === 1
}

/** Deletes a user's sessions, but not the one with the id `kept`; returns how many. */
export async function deleteSessionsOf(db: Queryable, userId: number, kept: number | null): Promise<number> {
  const { rowCount } = await db.query(
    'delete from sessions where person_id = $1::bigint and id is distinct from $2::bigint',
    [userId, kept],
  )
  return rowCount ?? 0
}

/** Deletes sessions that have ended, at most `limit` of them; returns how many. */
export async function deleteExpiredSessions(db: Queryable, now: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `
delete from sessions
where id in (select id from sessions where expires_at <= $1::timestamptz order by expires_at limit $2::integer)`,
    [now, limit],
  )
  return rowCount ?? 0
}

/** An account that a user may open in the console. */
export interface VisibleAccountRow extends AccountRow {
  /** Null for one that an operator only looks at. */
  role: Role | null
}

/** The accounts that a user is a member of, by name, and the one that they look at as an operator. */
export async function selectVisibleAccounts(
  db: Queryable,
  userId: number,
  seeAsAccountId: number | null,
): Promise<VisibleAccountRow[]> {
  const { rows } = await db.query<VisibleAccountRow>(
    `
select ${accountColumnsOf('a')}, m.role
from accounts a
left join members m on m.account_id = a.id and m.person_id = $1::bigint
where a.id in (select account_id from members where person_id = $1::bigint) or a.id = $2::bigint
order by a.name, a.id`,
    [userId, seeAsAccountId],
  )
  return rows
}

export interface OwnSessionRow {
  id: number
  created_at: Date
  last_seen_at: Date
  address: string
  user_agent: string
}

/** A user's sessions that have not ended, the last used first. */
export async function selectSessionsOf(
  db: Queryable,
  { userId, now, limit }: { userId: number; now: Date; limit: number },
): Promise<OwnSessionRow[]> {
  const { rows } = await db.query<OwnSessionRow>(
    `
select id, created_at, last_seen_at, address, user_agent
from sessions
where person_id = $1::bigint and expires_at > $2::timestamptz
order by last_seen_at desc, id desc
limit $3::integer`,
    [userId, now, limit],
  )
  return rows
}
