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
