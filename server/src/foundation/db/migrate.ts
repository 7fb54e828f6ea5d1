import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectClient, NoHostError } from '@storedex/pg-lanes'
import { listHosts } from '@storedex/pg-lanes/hosts'
import pg from 'pg'
import { OperatorError } from '../kernel/errors.ts'
import { grantServiceRights } from './grants.ts'
import type { Queryable } from './pool.ts'

export interface MigrationResult {
  /** Names of the files applied by this run, in order. */
  applied: string[]
  /** The schema's current version. */
  version: number
}

// An arbitrary fixed number: concurrent starts run one after the other, and none during a restore.
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

export async function newestSchemaVersion(folder: string): Promise<number> {
  return (await listMigrations(folder)).at(-1)?.version ?? 0
}

/** The names of all tables that the migrations create: a database may also hold tables of others. */
export async function listOwnTables(folder: string): Promise<string[]> {
  const texts = await Promise.all((await listMigrations(folder)).map(({ path }) => readFile(path, 'utf8')))
  const created = texts.flatMap((text) => [...text.matchAll(/^create table (\w+)/gm)].map(([, name]) => name!))
  return [...new Set([...created, 'schema_migrations'])].sort()
}

/** Creates the schema of a version in the caller's transaction. `schema_migrations` stays empty. */
export async function createSchema(client: Queryable, folder: string, version: number): Promise<void> {
  await client.query(createMigrationsTable)
  for (const file of await listMigrations(folder))
    if (file.version <= version) await client.query(await readFile(file.path, 'utf8'))
}

/** Applies the migrations after a version in the caller's transaction, and returns their names. */
export async function applyMigrationsAfter(client: Queryable, folder: string, version: number): Promise<string[]> {
  const files = (await listMigrations(folder)).filter((file) => file.version > version)
  for (const file of files) await runMigration(client, file)
  return files.map(({ name }) => name)
}

const createMigrationsTable =
  'create table if not exists schema_migrations (version integer primary key, name text not null, applied_at timestamptz not null default clock_timestamp())'

/** The name of a restore's connection: a start says that it has to wait for it. */
export const restoreApplicationName = 'storedex restore'

/**
 * Waits for other starts, and keeps new ones off this database until the session ends. Throws an `OperatorError` during a
 * restore, which may take long.
 */
export async function takeMigrationLock(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ held: boolean; restoring: boolean }>(
    `select pg_try_advisory_lock($1::bigint) as held,
            exists (select 1 from pg_stat_activity
                    where datname = current_database() and application_name = $2::text
                      and pid <> pg_backend_pid()) as restoring`,
    [migrationLock, restoreApplicationName],
  )
  const { held, restoring } = rows[0]!
  if (held) return
  if (restoring) throw new OperatorError('A backup is being restored into this database. Try again when that is done.')
  await client.query('select pg_advisory_lock($1::bigint)', [migrationLock])
}

/**
 * Migrates the schema of `url` to the newest file in `folder`, forward only, each file in its own transaction. Safe to
 * run concurrently and on a database with data. Rejects a database newer than this program. Then grants `serviceRole`,
 * if there is one, its rights.
 */
export async function migrate(url: string, folder: string, serviceRole?: string | null): Promise<MigrationResult> {
  const files = await listMigrations(folder)
  const client = await connectClient({
    connectionString: url,
    application_name: 'storedex migrate',
    // A table change that waits for a long transaction blocks every reader behind it.
    lock_timeout: lockTimeoutMs,
  })
  try {
    await takeMigrationLock(client)
    await client.query(createMigrationsTable)
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
    // Ending the session releases the lock.
    await client.end().catch(() => {})
  }
}

async function applyMigration(client: pg.Client, file: MigrationFile): Promise<void> {
  await client.query('begin')
  try {
    await runMigration(client, file)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new OperatorError(`Migration ${file.name} failed and was rolled back: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

async function runMigration(client: Queryable, { path, version, name }: MigrationFile): Promise<void> {
  await client.query(await readFile(path, 'utf8'))
  await client.query('insert into schema_migrations (version, name) values ($1::integer, $2::text)', [version, name])
}

const oldestMajorVersion = 15
const connectTimeoutMs = 10_000

/**
 * Checks that the operator's PostgreSQL at `url` answers and is new enough, and returns the role of the connection.
 * Throws an `OperatorError` otherwise.
 */
export async function checkDatabaseServer(url: string): Promise<string> {
  let client: pg.Client | undefined
  try {
    client = await connectClient({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
    const { rows } = await client.query<{ role: string; server_version: string; server_version_num: string }>(
      "select current_user as role, current_setting('server_version') as server_version, current_setting('server_version_num') as server_version_num",
    )
    const { role, server_version, server_version_num } = rows[0]!
    if (Number(server_version_num) < oldestMajorVersion * 10_000)
      throw new OperatorError(
        `The database at ${describeAddress(url)} is PostgreSQL ${server_version}; Storedex needs ${oldestMajorVersion} or newer.`,
      )
    return role
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause
    throw new OperatorError(`The database at ${describeAddress(url)} cannot be used: ${reasonOf(cause)}.`, { cause })
  } finally {
    await client?.end().catch(() => {})
  }
}

/** Hosts, ports and database, without user and password. */
function describeAddress(url: string): string {
  const hosts = listHosts(url).hosts.map((each) => new pg.Client({ connectionString: each.url }))
  return `${hosts.map(({ host, port }) => `${host}:${port}`).join(',')}/${hosts[0]!.database}`
}

const untrustedCertificate =
  'its certificate is not trusted; name the authority that signed it as sslrootcert in DATABASE_URL'

const reasons: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrustedCertificate,
  SELF_SIGNED_CERT_IN_CHAIN: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrustedCertificate,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'nothing listens there',
  ENOTFOUND: 'this host is unknown',
  EAI_AGAIN: 'this host is unknown',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'this host cannot be reached',
  '28P01': 'it refuses the user or the password',
  '3D000': 'it has no database of this name',
}

function reasonOf(error: unknown): string {
  if (error instanceof NoHostError)
    return error.failures.map(({ address, error: each }) => `${address}: ${reasonOf(each)}`).join('; ')
  const { code, message } = error as NodeJS.ErrnoException
  if (/does not support SSL/.test(message)) return 'it does not offer TLS'
  return reasons[code ?? ''] ?? (/timeout/i.test(message) ? 'it does not answer' : message.replace(/\.$/, ''))
}
