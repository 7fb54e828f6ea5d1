import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, createWriteStream, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from '@storedex/testkit'
import pg from 'pg'
import { openDatabaseServer } from '../../../src/foundation/db/embedded.ts'
import { migrate } from '../../../src/foundation/db/migrate.ts'
import { type ConnectionPool, createPool } from '../../../src/foundation/db/pool.ts'
import { OperatorError } from '../../../src/foundation/kernel/errors.ts'
import { withRetries } from '../../../src/foundation/runtime/timing.ts'

const migrations = join(import.meta.dirname, '../../../migrations')

/** A temporary database and folder, removed at the end. */
export interface Workspace {
  folder: string
  dataDir: string
  databaseUrl: string
  /** Environment variables that point the program to both. */
  environment: Record<string, string>
}

export function openTemporaryFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'storedex-bench-'))
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }))
  // Under root the embedded PostgreSQL runs as another user, which must be able to enter the folder.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711)
  return folder
}

/** Uses the embedded PostgreSQL, or a new database on the server that `serverUrl` names. */
export async function openWorkspace(serverUrl: string | null, cleanup: Cleanup): Promise<Workspace> {
  const folder = openTemporaryFolder(cleanup)
  const dataDir = join(folder, 'data')

  if (serverUrl !== null) {
    const databaseUrl = await createDatabase(serverUrl, cleanup)
    return { folder, dataDir, databaseUrl, environment: { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } }
  }
  // Keeping it open spares each command a start of PostgreSQL.
  const postgres = await openDatabaseServer({ dataDir })
  const home = realpathSync(join(dataDir, 'postgres'))
  cleanup.add(async () => {
    await postgres.release()
    rmSync(home, { recursive: true, force: true })
  })
  return { folder, dataDir, databaseUrl: postgres.url, environment: { DATA_DIR: dataDir, DATABASE_URL: '' } }
}

/**
 * Connects to the named database only to create another one; its contents stay unchanged. A template is copied, and must
 * have no connections.
 */
export async function createDatabase(serverUrl: string, cleanup: Cleanup, template = 'template0'): Promise<string> {
  const url = new URL(serverUrl)
  // The proxy cannot count encrypted messages.
  if (!['disable', null].includes(url.searchParams.get('sslmode')))
    throw new OperatorError('The bench counts database messages, which TLS hides: set a DATABASE_URL without TLS.')
  const name = `storedex_bench_${randomBytes(6).toString('hex')}`
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    // A process of PostgreSQL's own that works in the database, such as autovacuum, may not be ended, and ends soon.
    await withRetries(
      () => client.query(sql),
      (error, attempt) => (attempt < 50 && (error as pg.DatabaseError).code === '42501' ? 20 * attempt : null),
    ).finally(() => client.end())
  }
  await run(`create database ${name} template ${template} encoding 'UTF8'`)
  cleanup.add(() => run(`drop database ${name} with (force)`))
  url.pathname = `/${name}`
  return url.href
}

/** Writes records as NDJSON, one at a time: a catalogue need not fit into memory. Returns the file. */
export function writeRecords(file: string, records: Iterable<object>): Promise<string> {
  return writeLines(file, toLines(records))
}

function* toLines(records: Iterable<object>): Generator<string> {
  for (const record of records) yield `${JSON.stringify(record)}\n`
}

/** Writes lines, which have their ends. Returns the file. */
export async function writeLines(file: string, lines: Iterable<string>): Promise<string> {
  const out = createWriteStream(file, { highWaterMark: 1 << 20 })
  for (const line of lines) if (!out.write(line)) await once(out, 'drain')
  out.end()
  await once(out, 'close')
  return file
}

/** A pool on a database with the current schema. */
export async function openMigratedDatabase(url: string, statementTimeoutMs = 0): Promise<ConnectionPool> {
  await migrate(url, migrations)
  return createPool({ url, applicationName: 'storedex bench', statementTimeoutMs })
}
