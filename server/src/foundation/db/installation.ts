import { randomBytes } from 'node:crypto'
import type { Queryable } from './pool.ts'

/**
 * Returns the installation's secret, 32 bytes, and creates it on first use. It never changes: public ids and cursors
 * depend on it.
 */
export async function ensureInstallationSecret(db: Queryable): Promise<Buffer> {
  return ensureInstallationValue(db, 'secret', randomBytes(32))
}

export async function readInstallationValue(db: Queryable, name: string): Promise<Buffer | null> {
  const { rows } = await db.query<{ value: Buffer }>('select value from installation where name = $1::text', [name])
  return rows[0]?.value ?? null
}

/** Stores a value unless there is one, and returns the stored value. */
export async function ensureInstallationValue(db: Queryable, name: string, value: Buffer): Promise<Buffer> {
  await db.query('insert into installation (name, value) values ($1::text, $2::bytea) on conflict (name) do nothing', [
    name,
    value,
  ])
  return (await readInstallationValue(db, name))!
}

/** Stores a value in place of an earlier one. */
export async function setInstallationValue(db: Queryable, name: string, value: Buffer): Promise<void> {
  await db.query(
    `
insert into installation (name, value) values ($1::text, $2::bytea)
on conflict (name) do update set value = excluded.value`,
    [name, value],
  )
}

const serviceUrlName = 'service_url'

/** Records the base of links of the service that started last, for commands that print links. */
export function recordServiceUrl(db: Queryable, url: string): Promise<void> {
  return setInstallationValue(db, serviceUrlName, Buffer.from(url))
}

/** The recorded base of links; null before the first start of a service. */
export async function readServiceUrl(db: Queryable): Promise<string | null> {
  return (await readInstallationValue(db, serviceUrlName))?.toString() ?? null
}
