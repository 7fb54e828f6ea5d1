import type { Queryable } from '../../../foundation/db/pool.ts'
import type { RegisteredPerson } from '../queries.ts'

export interface OpenIdPersonRow extends RegisteredPerson {
  openid_issuer: string | null
  openid_subject: string | null
}

const columns = 'id, email, name, password_hash, operator, created_at, openid_issuer, openid_subject'

export async function selectPersonBySubject(
  db: Queryable,
  issuer: string,
  subject: string,
): Promise<OpenIdPersonRow | undefined> {
  const { rows } = await db.query<OpenIdPersonRow>(
    `select ${columns} from people where openid_issuer = $1::text and openid_subject = $2::text`,
    [issuer, subject],
  )
  return rows[0]
}

/** Binds a person without another binding to what the provider calls them. Returns whether it did. */
export async function bindSubject(
  db: Queryable,
  { personId, issuer, subject }: { personId: number; issuer: string; subject: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update people
set openid_issuer = $2::text, openid_subject = $3::text
where id = $1::bigint and openid_subject is null`,
    [personId, issuer, subject],
  )
  return rowCount === 1
}
