import type { Queryable } from '../../../foundation/db/pool.ts'

export type LinkPurpose = 'sign_in' | 'set_password'

export interface SignInLinkRow {
  person_id: number
  purpose: LinkPurpose
}

export async function insertSignInLink(
  db: Queryable,
  link: { tokenHash: Buffer; userId: number; purpose: LinkPurpose; now: Date; expiresAt: Date },
): Promise<void> {
  await db.query(
    `
insert into sign_in_links (token_hash, person_id, purpose, created_at, expires_at)
values ($1::bytea, $2::bigint, $3::text, $4::timestamptz, $5::timestamptz)`,
    [link.tokenHash, link.userId, link.purpose, link.now, link.expiresAt],
  )
}

/** A link that can still be used. */
export async function selectSignInLink(
  db: Queryable,
  tokenHash: Buffer,
  now: Date,
): Promise<SignInLinkRow | undefined> {
  const { rows } = await db.query<SignInLinkRow>(
    `
select person_id, purpose
from sign_in_links
where token_hash = $1::bytea and used_at is null and expires_at > $2::timestamptz`,
    [tokenHash, now],
  )
  return rows[0]
}

/** Marks a link as used. Of several at once, one gets the link and the others undefined. */
export async function useSignInLink(
  db: Queryable,
  link: { tokenHash: Buffer; purpose: LinkPurpose; now: Date },
): Promise<SignInLinkRow | undefined> {
  const { rows } = await db.query<SignInLinkRow>(
    `
update sign_in_links
set used_at = $3::timestamptz
where token_hash = $1::bytea and purpose = $2::text and used_at is null and expires_at > $3::timestamptz
returning person_id, purpose`,
    [link.tokenHash, link.purpose, link.now],
  )
  return rows[0]
}

/** Ends the unused links of a user. */
export async function endSignInLinks(db: Queryable, userId: number, now: Date): Promise<void> {
  await db.query(
    'update sign_in_links set used_at = $2::timestamptz where person_id = $1::bigint and used_at is null',
    [userId, now],
  )
}

/** Deletes links that ended before `before`, at most `limit` of them; returns how many. */
export async function deleteOldSignInLinks(db: Queryable, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `
delete from sign_in_links
where token_hash in (select token_hash from sign_in_links where expires_at < $1::timestamptz limit $2::integer)`,
    [before, limit],
  )
  return rowCount ?? 0
}
