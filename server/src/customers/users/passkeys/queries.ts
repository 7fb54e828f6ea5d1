import type { Queryable } from '../../../foundation/db/pool.ts'

export interface PasskeyRow {
  id: number
  person_id: number
  credential_id: Buffer
  public_key: Buffer
  sign_count: number
  transports: string[]
  name: string
  created_at: Date
  last_used_at: Date | null
}

const passkeyColumns =
  'id, person_id, credential_id, public_key, sign_count, transports, name, created_at, last_used_at'

/** Undefined when the credential is stored already, or the user has `max` passkeys. */
export async function insertPasskey(
  db: Queryable,
  passkey: {
    userId: number
    credentialId: Buffer
    publicKey: Buffer
    signCount: number
    transports: readonly string[]
    name: string
    now: Date
  },
  max: number,
): Promise<PasskeyRow | undefined> {
  const { rows } = await db.query<PasskeyRow>(
    `
insert into passkeys (person_id, credential_id, public_key, sign_count, transports, name, created_at)
select $1::bigint, $2::bytea, $3::bytea, $4::bigint, $5::text[], $6::text, $7::timestamptz
where (select count(*) from passkeys where person_id = $1::bigint) < $8::integer
on conflict (credential_id) do nothing
returning ${passkeyColumns}`,
    [
      passkey.userId,
      passkey.credentialId,
      passkey.publicKey,
      passkey.signCount,
      passkey.transports,
      passkey.name,
      passkey.now,
      max,
    ],
  )
  return rows[0]
}

export async function selectPasskeys(db: Queryable, userId: number): Promise<PasskeyRow[]> {
  const { rows } = await db.query<PasskeyRow>(
    `select ${passkeyColumns} from passkeys where person_id = $1::bigint order by id`,
    [userId],
  )
  return rows
}

export async function selectPasskeyByCredential(db: Queryable, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  const { rows } = await db.query<PasskeyRow>(
    `select ${passkeyColumns} from passkeys where credential_id = $1::bytea`,
    [credentialId],
  )
  return rows[0]
}

/**
 * Records a use. Returns false when the passkey is gone, or its counter did not grow: of two copies of a key, one is
 * behind. Keys that do not count always send zero.
 */
export async function recordPasskeyUse(
  db: Queryable,
  { id, signCount, now }: { id: number; signCount: number; now: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `
update passkeys
set sign_count = $2::bigint, last_used_at = $3::timestamptz
where id = $1::bigint and (sign_count < $2::bigint or sign_count = 0 and $2::bigint = 0)`,
    [id, signCount, now],
  )
  return rowCount === 1
}

/** Returns whether the user had it. */
export async function deletePasskey(db: Queryable, userId: number, id: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from passkeys where person_id = $1::bigint and id = $2::bigint', [
    userId,
    id,
  ])
  return rowCount === 1
}

export async function deletePasskeysOf(db: Queryable, userId: number): Promise<void> {
  await db.query('delete from passkeys where person_id = $1::bigint', [userId])
}
