import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { atEnd } from './cleanup.ts'

interface TestDatabase {
  /** Of the role that owns it. */
  url: string
  /** Of the role that requests work as; the same where the tests' server lets nobody make one. */
  serviceUrl: string
}

/** A database of the calling test file's own, cloned from the migrated template; dropped after the file's tests. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `storedex_test_${randomBytes(6).toString('hex')}`
  await asAdmin(serverUrl, `create database ${name} template ${inject('templateDatabase')}`)
  atEnd(() => asAdmin(serverUrl, `drop database if exists ${name} with (force)`))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const serviceUrl = new URL(url)
  const serviceRole = inject('serviceRole')
  if (serviceRole) serviceUrl.username = serviceRole
  return { url: url.href, serviceUrl: serviceUrl.href }
}

/** A connection of the caller's own. The server may end it at any time: that is an answer to the next query, no crash. */
export async function connectClient(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function asAdmin(serverUrl: string, statement: string): Promise<void> {
  const admin = await connectClient(serverUrl)
  try {
    // Cloning is refused while another clone reads the template; the refusal passes quickly.
    for (let attempt = 1; ; attempt++) {
      try {
        await admin.query(statement)
        return
      } catch (error) {
        if (attempt >= 50 || (error as pg.DatabaseError).code !== '55006') throw error
        await new Promise((resolve) => setTimeout(resolve, 20 * attempt))
      }
    }
  } finally {
    await admin.end()
  }
}
