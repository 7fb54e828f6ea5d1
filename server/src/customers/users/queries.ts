import type { Queryable } from '../../foundation/db/pool.ts'

export interface RegisteredUser {
  id: number
  email: string
  name: string
  password_hash: string | null
  operator: boolean
  created_at: Date
}

const userColumns = 'id, email, name, password_hash, operator, created_at'

interface NewUserRow {
  email: string
  name: string
  operator: boolean
  createdAt: Date
}

/** Undefined if the address is taken. */
export async function insertUser(db: Queryable, user: NewUserRow): Promise<RegisteredUser | undefined> {
  const { rows } = await db.query<RegisteredUser>(
    `
insert into people (email, name, operator, created_at)
values ($1::text, $2::text, $3::boolean, $4::timestamptz)
on conflict (email) do nothing
returning ${userColumns}`,
    [user.email, user.name, user.operator, user.createdAt],
  )
  return rows[0]
}

export async function selectUserByEmail(db: Queryable, email: string): Promise<RegisteredUser | undefined> {
  const { rows } = await db.query<RegisteredUser>(`select ${userColumns} from people where email = $1::text`, [email])
  return rows[0]
}

export async function selectUser(db: Queryable, id: number): Promise<RegisteredUser | undefined> {
  const { rows } = await db.query<RegisteredUser>(`select ${userColumns} from people where id = $1::bigint`, [id])
  return rows[0]
}

/** All users, or those of an account, by address. */
export async function selectUsers(db: Queryable, accountId: number | null): Promise<RegisteredUser[]> {
  const { rows } = await db.query<RegisteredUser>(
    `
select ${userColumns}
from people p
where $1::bigint is null
  or exists (select 1 from members m where m.person_id = p.id and m.account_id = $1::bigint)
order by email`,
    [accountId],
  )
  return rows
}

export async function hasOperator(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('select exists (select 1 from people where operator) as found')
  return rows[0]!.found
}

export async function updateOperator(db: Queryable, id: number, operator: boolean): Promise<void> {
  await db.query('update people set operator = $2::boolean where id = $1::bigint', [id, operator])
}

export async function updateUserName(db: Queryable, userId: number, name: string): Promise<void> {
  await db.query('update people set name = $2::text where id = $1::bigint', [userId, name])
}

export async function updatePassword(
  db: Queryable,
  id: number,
  { hash, name, at }: { hash: string; name: string | null; at: Date },
): Promise<void> {
  await db.query(
    `
update people
set password_hash = $2::text, password_set_at = $4::timestamptz, name = coalesce($3::text, name)
where id = $1::bigint`,
    [id, hash, name, at],
  )
}

/** Whether the user still has this password hash, which then stays until the end of the transaction. */
export async function lockPassword(db: Queryable, id: number, hash: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'select 1 from people where id = $1::bigint and password_hash = $2::text for share',
    [id, hash],
  )
  return rowCount === 1
}

/**
 * Makes changes of what a user signs in with wait for each other until the end of the transaction. Take it before any
 * other lock on their sessions, links or passkeys. Whatever adds one waits for it, because its row refers to the user.
 */
export async function lockCredentials(db: Queryable, id: number): Promise<void> {
  await db.query('select 1 from people where id = $1::bigint for update', [id])
}

/** The same for a sign-in, which others need not wait for. Returns whether there is such a user. */
export async function shareCredentials(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('select 1 from people where id = $1::bigint for key share', [id])
  return rowCount === 1
}

export async function removePassword(db: Queryable, id: number): Promise<void> {
  await db.query('update people set password_hash = null, password_set_at = null where id = $1::bigint', [id])
}

export async function deleteUser(db: Queryable, id: number): Promise<void> {
  await db.query('delete from people where id = $1::bigint', [id])
}

export async function selectSettings(db: Queryable, userId: number): Promise<object> {
  const { rows } = await db.query<{ settings: object }>(
    'select settings from person_settings where person_id = $1::bigint',
    [userId],
  )
  return rows[0]?.settings ?? {}
}

export async function upsertSettings(db: Queryable, userId: number, settings: object, now: Date): Promise<void> {
  await db.query(
    `
insert into person_settings (person_id, settings, changed_at)
values ($1::bigint, $2::jsonb, $3::timestamptz)
on conflict (person_id) do update set settings = excluded.settings, changed_at = excluded.changed_at`,
    [userId, JSON.stringify(settings), now],
  )
}
