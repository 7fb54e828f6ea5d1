import type { Queryable } from '../../../foundation/db/pool.ts'

export interface ChallengeRow {
  person_id: number | null
  content: string
}

export async function insertChallenge(
  db: Queryable,
  challenge: { id: Buffer; purpose: string; userId: number | null; content: string; expiresAt: Date },
): Promise<void> {
  await db.query(
    `
insert into challenges (id, purpose, person_id, content, expires_at)
values ($1::bytea, $2::text, $3::bigint, $4::text, $5::timestamptz)`,
    [challenge.id, challenge.purpose, challenge.userId, challenge.content, challenge.expiresAt],
  )
}

/** A challenge that can still be used. */
export async function selectChallenge(
  db: Queryable,
  { id, purpose, now }: { id: Buffer; purpose: string; now: Date },
): Promise<ChallengeRow | undefined> {
  const { rows } = await db.query<ChallengeRow>(
    `
select person_id, content from challenges
where id = $1::bytea and purpose = $2::text and expires_at > $3::timestamptz`,
    [id, purpose, now],
  )
  return rows[0]
}

/** Deletes a challenge and returns it. Of several at once, one gets it and the others undefined. */
export async function deleteChallenge(
  db: Queryable,
  { id, purpose, now }: { id: Buffer; purpose: string; now: Date },
): Promise<ChallengeRow | undefined> {
  const { rows } = await db.query<ChallengeRow>(
    `
delete from challenges
where id = $1::bytea and purpose = $2::text and expires_at > $3::timestamptz
returning person_id, content`,
    [id, purpose, now],
  )
  return rows[0]
}

/** Deletes challenges that have ended, at most `limit` of them; returns how many. */
export async function deleteExpiredChallenges(db: Queryable, now: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `
delete from challenges
where id in (select id from challenges where expires_at <= $1::timestamptz order by expires_at limit $2::integer)`,
    [now, limit],
  )
  return rowCount ?? 0
}
