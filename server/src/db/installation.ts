import { randomBytes } from 'node:crypto'
import type { Queryable } from './pool.ts'

/**
 * The installation's secret, made by whoever asks first and never changed afterwards: public ids and cursors hang on it.
 * 32 bytes.
 */
export async function readInstallationSecret(db: Queryable): Promise<Buffer> {
  await db.query("insert into installation (name, value) values ('secret', $1::bytea) on conflict (name) do nothing", [
    randomBytes(32),
  ])
  const { rows } = await db.query<{ value: Buffer }>("select value from installation where name = 'secret'")
  return rows[0]!.value
}
