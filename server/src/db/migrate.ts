import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { OperatorError } from '../kernel/errors.ts'
import { grantServiceRights } from './grants.ts'

export interface MigrationResult {
  /** File names applied by this run, in order. */
  applied: string[]
  /** The schema's version now. */
  version: number
}

// Any fixed number: two starters at once take turns on it.
const migrationLock = 7_305_111_201
const lockTimeoutMs = 60_000

interface MigrationFile {
  version: number
  name: string
  path: string
}

async function listMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  return names.map((name) => ({ version: Number(name.slice(0, 4)), name, path: join(folder, name) }))
}

/**
 * Brings the schema of `url` up to the newest file in `folder`, forward only, each file in a transaction of its own.
 * Safe to run from several processes at once, and over a full database. Refuses a database newer than this program. Then
 * gives `serviceRole`, where the service has a role of its own, its rights.
 */
export async function migrate(url: string, folder: string, serviceRole?: string | null): Promise<MigrationResult> {
  const files = await listMigrations(folder)
  const client = new pg.Client({
    connectionString: url,
    application_name: 'storedex migrate',
    // A change of a table that waits behind a long transaction makes every reader wait behind it.
    lock_timeout: lockTimeoutMs,
  })
  // A connection that breaks is told by the statement that fails with it.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1::bigint)', [migrationLock])
    await client.query(
      'create table if not exists schema_migrations (version integer primary key, name text not null, applied_at timestamptz not null default clock_timestamp())',
    )
    const { rows } = await client.query<{ version: number }>('select version from schema_migrations order by version')
    const done = new Set(rows.map((row) => row.version))
    const newest = Math.max(0, ...done)
    if (newest > (files.at(-1)?.version ?? 0))
      throw new OperatorError(`The database is at schema version ${newest}, newer than this program; update Storedex.`)
    const applied: string[] = []
    for (const file of files) {
      if (done.has(file.version)) continue
      await applyMigration(client, file)
      applied.push(file.name)
    }
    if (serviceRole) await grantServiceRights(client, serviceRole)
    return { applied, version: files.at(-1)?.version ?? 0 }
  } finally {
    // Ending the session gives the lock back.
    await client.end().catch(() => {})
  }
}

async function applyMigration(client: pg.Client, file: MigrationFile): Promise<void> {
  await client.query('begin')
  try {
    await client.query(await readFile(file.path, 'utf8'))
    await client.query('insert into schema_migrations (version, name) values ($1::integer, $2::text)', [
      file.version,
      file.name,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new OperatorError(`Migration ${file.name} failed and was rolled back: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const oldestMajorVersion = 15
const connectTimeoutMs = 10_000

/**
 * Makes sure that a PostgreSQL of the operator's own answers at `url` and is new enough; says in one sentence what is not so.
 * Answers the role that one is there.
 */
export async function checkDatabaseServer(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
  client.on('error', () => {}) // the connection is only looked at
  try {
    await client.connect()
    const { rows } = await client.query<{ role: string; server_version: string; server_version_num: string }>(
      "select current_user as role, current_setting('server_version') as server_version, current_setting('server_version_num') as server_version_num",
    )
    const { role, server_version, server_version_num } = rows[0]!
    if (Number(server_version_num) < oldestMajorVersion * 10_000)
      throw new OperatorError(
        `The database at ${placeOf(url)} is PostgreSQL ${server_version}; Storedex needs ${oldestMajorVersion} or newer.`,
      )
    return role
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause
    throw new OperatorError(`The database at ${placeOf(url)} cannot be used: ${reasonOf(cause)}.`, { cause })
  } finally {
    await client.end().catch(() => {})
  }
}

/** Host, port and database, never user or password. */
function placeOf(url: string): string {
  const { host, port, database } = new pg.Client({ connectionString: url })
  return `${host}:${port}/${database}`
}

const untrusted = 'its certificate is not trusted; name the authority that signed it as sslrootcert in DATABASE_URL'

const reasons: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'nothing listens there',
  ENOTFOUND: 'this host is not known',
  EAI_AGAIN: 'this host is not known',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'this host cannot be reached',
  '28P01': 'it refuses the user or the password',
  '3D000': 'it has no database of this name',
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (/does not support SSL/.test(message)) return 'it does not offer TLS'
  return reasons[code ?? ''] ?? (/timeout/i.test(message) ? 'it does not answer' : message.replace(/\.$/, ''))
}
