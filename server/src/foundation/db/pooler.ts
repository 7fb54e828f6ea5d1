import { OperatorError } from '../kernel/errors.ts'
import type { Queryable } from './pool.ts'

/**
 * What each session needs, although a pooler drops what the service asks for when it connects. Without the first, a
 * charge could be lost after it was acknowledged; without the others a statement could wait forever.
 */
const needed: Record<string, { isMet(value: string): boolean; wanted: string }> = {
  synchronous_commit: { isMet: (value) => value === 'on' || value === 'remote_apply', wanted: 'on' },
  TimeZone: { isMet: (value) => /^(Etc\/)?UTC$/i.test(value), wanted: 'UTC' },
  statement_timeout: { isMet: (value) => value !== '0', wanted: '10s' },
  lock_timeout: { isMet: (value) => value !== '0', wanted: '5s' },
  idle_in_transaction_session_timeout: { isMet: (value) => value !== '0', wanted: '30s' },
}

/** Checks the settings of sessions behind the pooler in DATABASE_URL. Throws an `OperatorError` that names them. */
export async function checkPooler(db: Queryable): Promise<void> {
  const { rows } = await db
    .query<{ name: string; value: string }>(
      'select name, current_setting(name) as value from unnest($1::text[]) name',
      [Object.keys(needed)],
    )
    .catch(throwPoolerError)
  const missing = rows.filter(({ name, value }) => !needed[name]!.isMet(value))
  if (missing.length === 0) return
  const wanted = missing.map(({ name, value }) => `${name} to ${needed[name]!.wanted} (it is ${value})`)
  throw new OperatorError(
    `The pooler in DATABASE_URL has to set ${wanted.join(', ')} for its sessions: see "PgBouncer" in docs/operations/many-servers.md.`,
  )
}

/** PgBouncer refuses to be asked for settings that it does not know. */
function throwPoolerError(cause: unknown): never {
  const { message } = cause as Error
  if (!/unsupported startup parameter/.test(message)) throw cause
  throw new OperatorError(
    `The pooler in DATABASE_URL refuses the service's connections (${message}): see "PgBouncer" in docs/operations/many-servers.md.`,
    { cause },
  )
}
