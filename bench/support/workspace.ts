import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, createWriteStream, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openEmbeddedPostgres } from '../../server/src/db/embedded/supervisor.ts'
import { migrate } from '../../server/src/db/migrate.ts'
import { type ConnectionPool, createPool } from '../../server/src/db/pool.ts'
import { OperatorError } from '../../server/src/kernel/errors.ts'
import type { Cleanup } from './cleanup.ts'

const migrations = join(import.meta.dirname, '../../server/migrations')

/** A database and a folder of the bench's own; both are gone when it is over. */
export interface Workspace {
  folder: string
  dataDir: string
  databaseUrl: string
  /** What tells the program where to work. */
  environment: Record<string, string>
}

export function openTemporaryFolder(cleanup: Cleanup): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'storedex-bench-'))
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }))
  // Root lends the embedded PostgreSQL another user, who has to get through.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711)
  return folder
}

/** In the embedded PostgreSQL, as an operator without one has it; with a `serverUrl`, in a new database of that server. */
export async function openWorkspace(serverUrl: string | null, cleanup: Cleanup): Promise<Workspace> {
  const folder = openTemporaryFolder(cleanup)
  const dataDir = join(folder, 'data')

  if (serverUrl !== null) {
    const databaseUrl = await createDatabase(serverUrl, cleanup)
    return { folder, dataDir, databaseUrl, environment: { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } }
  }
  // Held open from here, so that commands join it and need not start it.
  const postgres = await openDatabaseServer({ dataDir })
  const home = realpathSync(join(dataDir, 'postgres'))
  cleanup.add(async () => {
    await postgres.release()
    rmSync(home, { recursive: true, force: true })
  })
  return { folder, dataDir, databaseUrl: postgres.url, environment: { DATA_DIR: dataDir, DATABASE_URL: '' } }
}

/** The database that the URL names is only connected to: what is in it stays as it is. */
async function createDatabase(serverUrl: string, cleanup: Cleanup): Promise<string> {
  const url = new URL(serverUrl)
  // Messages can be counted only while they can be read.
  if (!['disable', null].includes(url.searchParams.get('sslmode')))
    throw new OperatorError('The bench counts what goes to the database, so DATABASE_URL must be one without TLS.')
  const name = `storedex_bench_${randomBytes(6).toString('hex')}`
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await run(`create database ${name} template template0 encoding 'UTF8'`)
  cleanup.add(() => run(`drop database ${name} with (force)`))
  url.pathname = `/${name}`
  return url.href
}

/** Writes records as NDJSON, one at a time: a catalogue need not fit into memory. Returns the file. */
export async function writeRecords(file: string, records: Iterable<object>): Promise<string> {
  const out = createWriteStream(file, { highWaterMark: 1 << 20 })
  for (const record of records) if (!out.write(`${JSON.stringify(record)}\n`)) await once(out, 'drain')
  out.end()
  await once(out, 'close')
  return file
}

/** A pool on a database with the current schema. */
export async function openMigratedDatabase(url: string, statementTimeoutMs = 0): Promise<ConnectionPool> {
  await migrate(url, migrations)
  return createPool({ url, applicationName: 'storedex bench', statementTimeoutMs })
}
