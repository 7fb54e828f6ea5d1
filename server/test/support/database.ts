import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { createDistributedDatabase, dropDistributedDatabase } from './citus.ts'
import { atEnd } from './cleanup.ts'
import { runAsAdmin } from './postgres.ts'

export interface TestDatabase {
  /** URL of the owner. */
  url: string
  /** URL of the role of requests; the owner's where the test server does not allow creating roles. */
  serviceUrl: string
}

/** Creates a database for the calling test file, cloned from the migrated template; dropped after the file's tests. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `storedex_test_${randomBytes(6).toString('hex')}`
  const citus = inject('citusNodes')
  if (citus) {
    atEnd(() => dropDistributedDatabase(serverUrl, name, citus))
    await createDistributedDatabase(serverUrl, name, citus, inject('serviceRole'))
  } else {
    await runAsAdmin(serverUrl, `create database ${name} template ${inject('templateDatabase')}${cloneStrategy()}`)
    atEnd(() => runAsAdmin(serverUrl, `drop database if exists ${name} with (force)`))
  }
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const serviceUrl = new URL(url)
  const serviceRole = inject('serviceRole')
  if (serviceRole) serviceUrl.username = serviceRole
  return { url: url.href, serviceUrl: serviceUrl.href }
}

/** Copying files costs two checkpoints, which are cheap without a disk, and a quarter of copying page by page. */
const cloneStrategy = () => (inject('isOwnServer') ? ' strategy file_copy' : '')

/** Opens a separate connection. If the server ends it, the next query fails and the process does not crash. */
export async function connectClient(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The number of sessions of the connection's database that wait for a lock; with Citus also those on its workers. */
export async function countLockWaits(db: { query(text: string): Promise<pg.QueryResult> }): Promise<number> {
  const sessions = inject('citusNodes') ? 'citus_stat_activity' : 'pg_stat_activity'
  const { rows } = await db.query(
    `select from ${sessions} where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}
