import { randomBytes } from 'node:crypto'
import type { Queryable } from './pool.ts'

/**
 * The installation's secret, made by whoever asks first and never changed afterwards: public ids and cursors hang on it.
 * 32 bytes.
 */
export async function ensureInstallationSecret(db: Queryable): Promise<Buffer> {
  return ensureInstallationValue(db, 'secret', randomBytes(32))
}

export async function readInstallationValue(db: Queryable, name: string): Promise<Buffer | null> {
  const { rows } = await db.query<{ value: Buffer }>('select value from installation where name = $1::text', [name])
  return rows[0]?.value ?? null
}

/** Keeps a value unless there is one, and answers the one that is kept. */
export async function ensureInstallationValue(db: Queryable, name: string, value: Buffer): Promise<Buffer> {
  await db.query('insert into installation (name, value) values ($1::text, $2::bytea) on conflict (name) do nothing', [
    name,
    value,
  ])
  return (await readInstallationValue(db, name))!
}
