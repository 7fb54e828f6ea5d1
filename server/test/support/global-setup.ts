import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { databaseNames } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startTestPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests may create databases. */
    postgresUrl: string
    /** The migrated database that test databases are cloned from. */
    templateDatabase: string
    /** The role that requests work as; null where there can be none. */
    serviceRole: string | null
  }
}

/** One PostgreSQL for the whole run and one migrated template; each test file clones it. */
export default async function setup(project: TestProject) {
  const server = await startTestPostgres()
  const templateDatabase = `storedex_template_${randomBytes(4).toString('hex')}`
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query(`create database ${templateDatabase}`)
  const serviceRole = await provideServiceRole(admin, server.url)
  await migrate(databaseUrl(server.url, templateDatabase), join(import.meta.dirname, '../../migrations'), serviceRole)
  project.provide('serviceRole', serviceRole)
  project.provide('postgresUrl', server.url)
  project.provide('templateDatabase', templateDatabase)
  return async () => {
    await admin.query(`drop database if exists ${templateDatabase} with (force)`)
    await admin.end()
    await server.stop()
  }
}

/** The embedded server has the role; a foreign one gets it if it lets us, with the password of the role we are. */
async function provideServiceRole(admin: pg.Client, serverUrl: string): Promise<string | null> {
  const { rows } = await admin.query('select from pg_roles where rolname = $1', [databaseNames.serviceRole])
  if (rows.length > 0) return databaseNames.serviceRole
  const password = decodeURIComponent(new URL(serverUrl).password)
  const withPassword = password ? ` password ${admin.escapeLiteral(password)}` : ''
  return admin.query(`create role ${databaseNames.serviceRole} login${withPassword}`).then(
    () => databaseNames.serviceRole,
    () => null,
  )
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
