import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { databaseNames } from '../../../src/foundation/db/embedded.ts'
import { migrate } from '../../../src/foundation/db/migrate.ts'
import { type CitusNodes, readCitusNodes } from '../citus.ts'
import { runAsAdmin, startTestPostgres } from '../postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which tests may create databases. */
    postgresUrl: string
    /** The migrated database from which test databases are cloned. */
    templateDatabase: string
    /** Whether the server was started for this run and ends with it. */
    isOwnServer: boolean
    /** The nodes of a Citus coordinator at TEST_DATABASE_URL: test databases are distributed over them. */
    citusNodes: CitusNodes | null
    /** The role of requests; null where none can be created. */
    serviceRole: string | null
  }
}

/** Starts one PostgreSQL for the whole run, with one migrated template; each test file clones it. */
export default async function setup(project: TestProject) {
  const server = await startTestPostgres()
  const templateDatabase = `storedex_template_${randomBytes(4).toString('hex')}`
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  const citusNodes = await readCitusNodes(admin)
  await admin.query(`create database ${templateDatabase}`)
  const { name: serviceRole, isOurs } = await provideServiceRole(admin, server.url)
  await migrate(
    databaseUrl(server.url, templateDatabase),
    join(import.meta.dirname, '../../../migrations'),
    serviceRole,
  )
  project.provide('serviceRole', serviceRole)
  project.provide('citusNodes', citusNodes)
  project.provide('postgresUrl', server.url)
  project.provide('templateDatabase', templateDatabase)
  project.provide('isOwnServer', server.isOwn)
  return async () => {
    await runAsAdmin(server.url, `drop database if exists ${templateDatabase} with (force)`)
    // Another run beside this one may use it too.
    if (isOurs) await admin.query(`drop role if exists ${serviceRole}`).catch(() => {})
    await admin.end()
    await server.stop()
  }
}

/** The embedded server has the role; on another one it is created if allowed, with our own password. */
async function provideServiceRole(
  admin: pg.Client,
  serverUrl: string,
): Promise<{ name: string | null; isOurs: boolean }> {
  const name = databaseNames.serviceRole
  const { rows } = await admin.query('select from pg_roles where rolname = $1', [name])
  if (rows.length > 0) return { name, isOurs: false }
  const password = decodeURIComponent(new URL(serverUrl).password)
  const withPassword = password ? ` password ${admin.escapeLiteral(password)}` : ''
  return admin.query(`create role ${name} login${withPassword}`).then(
    () => ({ name, isOurs: true }),
    () => ({ name: null, isOurs: false }),
  )
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
