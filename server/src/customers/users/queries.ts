import type { Queryable } from '../../foundation/db/pool.ts'

export interface RegisteredPerson {
  id: number
  email: string
  name: string
  password_hash: string | null
  operator: boolean
  created_at: Date
}

const personColumns = 'id, email, name, password_hash, operator, created_at'

interface NewPersonRow {
  email: string
  name: string
  operator: boolean
  createdAt: Date
}

/** Undefined when somebody has this address. */
export async function insertPerson(db: Queryable, person: NewPersonRow): Promise<RegisteredPerson | undefined> {
  const { rows } = await db.query<RegisteredPerson>(
    `
insert into people (email, name, operator, created_at)
values ($1::text, $2::text, $3::boolean, $4::timestamptz)
on conflict (email) do nothing
returning ${personColumns}`,
    [person.email, person.name, person.operator, person.createdAt],
  )
  return rows[0]
}

export async function selectPersonByEmail(db: Queryable, email: string): Promise<RegisteredPerson | undefined> {
  const { rows } = await db.query<RegisteredPerson>(`select ${personColumns} from people where email = $1::text`, [
    email,
  ])
  return rows[0]
}

export async function selectPerson(db: Queryable, id: number): Promise<RegisteredPerson | undefined> {
  const { rows } = await db.query<RegisteredPerson>(`select ${personColumns} from people where id = $1::bigint`, [id])
  return rows[0]
}

/** All people, or those of an account, by address. */
export async function selectPeople(db: Queryable, accountId: number | null): Promise<RegisteredPerson[]> {
  const { rows } = await db.query<RegisteredPerson>(
    `
select ${personColumns}
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

export async function updatePersonName(db: Queryable, personId: number, name: string): Promise<void> {
  await db.query('update people set name = $2::text where id = $1::bigint', [personId, name])
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

/** Whether the person still has this password hash, which then stays until the end of the transaction. */
export async function lockPassword(db: Queryable, id: number, hash: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'select 1 from people where id = $1::bigint and password_hash = $2::text for share',
    [id, hash],
  )
  return rowCount === 1
}

/**
 * Makes changes of what a person signs in with wait for each other until the end of the transaction. Take it before any
 * other lock on their sessions, links or passkeys. Whatever adds one waits for it, because its row refers to the person.
 */
export async function lockCredentials(db: Queryable, id: number): Promise<void> {
  await db.query('select 1 from people where id = $1::bigint for update', [id])
}

/** The same for a sign-in, which others need not wait for. Returns whether there is such a person. */
export async function shareCredentials(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('select 1 from people where id = $1::bigint for key share', [id])
  return rowCount === 1
}

export async function removePassword(db: Queryable, id: number): Promise<void> {
  await db.query('update people set password_hash = null, password_set_at = null where id = $1::bigint', [id])
}

export async function deletePerson(db: Queryable, id: number): Promise<void> {
  await db.query('delete from people where id = $1::bigint', [id])
}

export async function selectSettings(db: Queryable, personId: number): Promise<object> {
  const { rows } = await db.query<{ settings: object }>(
    'select settings from person_settings where person_id = $1::bigint',
    [personId],
  )
  return rows[0]?.settings ?? {}
}

export async function upsertSettings(db: Queryable, personId: number, settings: object, now: Date): Promise<void> {
  await db.query(
    `
insert into person_settings (person_id, settings, changed_at)
values ($1::bigint, $2::jsonb, $3::timestamptz)
on conflict (person_id) do update set settings = excluded.settings, changed_at = excluded.changed_at`,
    [personId, JSON.stringify(settings), now],
  )
}
