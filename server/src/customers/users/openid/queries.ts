import type { Queryable } from '../../../foundation/db/pool.ts'
import type { RegisteredUser } from '../queries.ts'

export interface OpenIdUserRow extends RegisteredUser {
  openid_issuer: string | null
  openid_subject: string | null
}

const columns = 'id, email, name, password_hash, operator, created_at, openid_issuer, openid_subject'

export async function selectUserBySubject(
  db: Queryable,
  issuer: string,
  subject: string,
): Promise<OpenIdUserRow | undefined> {
  const { rows } = await db.query<OpenIdUserRow>(
    `select ${columns} from people where openid_issuer = $1::text and openid_subject = $2::text`,
    [issuer, subject],
  )
  return rows[0]
}

/** Binds a user without another binding to what the provider calls them. Returns whether it did. */
export async function bindSubject(
  db: Queryable,
  { userId, issuer, subject }: { userId: number; issuer: string; subject: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update people
set openid_issuer = $2::text, openid_subject = $3::text
where id = $1::bigint and openid_subject is null`,
    [userId, issuer, subject],
  )
  return rowCount === 1
}
