import type { Queryable } from '../../../db/pool.ts'

export interface OwnSessionRow {
  id: number
  created_at: Date
  last_seen_at: Date
  address: string
  user_agent: string
}

/** A person's sessions that have not ended, the last used first. */
export async function selectSessionsOf(
  db: Queryable,
  { personId, now, limit }: { personId: number; now: Date; limit: number },
): Promise<OwnSessionRow[]> {
  const { rows } = await db.query<OwnSessionRow>(
    `
select id, created_at, last_seen_at, address, user_agent
from sessions
where person_id = $1::bigint and expires_at > $2::timestamptz
order by last_seen_at desc, id desc
limit $3::integer`,
    [personId, now, limit],
  )
  return rows
}

export async function updatePersonName(db: Queryable, personId: number, name: string): Promise<void> {
  await db.query('update people set name = $2::text where id = $1::bigint', [personId, name])
}
