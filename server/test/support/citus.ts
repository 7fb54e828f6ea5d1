import { join } from 'node:path'
import type pg from 'pg'
import { distributeTables } from '../../src/foundation/db/distribution.ts'
import { migrate } from '../../src/foundation/db/migrate.ts'
import { runAsAdmin } from './postgres.ts'

/** The coordinator's own address and those of its workers. */
export interface CitusNodes {
  coordinator: string
  workers: string[]
}

/** The nodes of the Citus whose coordinator a URL names; null for a PostgreSQL without the extension in that database. */
export async function readCitusNodes(admin: pg.Client): Promise<CitusNodes | null> {
  const { rows } = await admin.query("select from pg_extension where extname = 'citus'")
  if (rows.length === 0) return null
  const nodes = await admin.query<{ address: string; is_coordinator: boolean }>(
    `select nodename || ':' || nodeport as address, groupid = 0 as is_coordinator
     from pg_dist_node where isactive and noderole = 'primary' order by groupid`,
  )
  const coordinator = nodes.rows.find(({ is_coordinator }) => is_coordinator)?.address ?? new URL(urlOf(admin)).host
  const workers = nodes.rows.filter(({ is_coordinator }) => !is_coordinator).map(({ address }) => address)
  return { coordinator, workers }
}

/** Creates a migrated and distributed database on all nodes: there a database cannot be cloned. */
export async function createDistributedDatabase(
  serverUrl: string,
  name: string,
  { coordinator, workers }: CitusNodes,
  serviceRole: string | null,
): Promise<void> {
  for (const address of [coordinator, ...workers]) {
    await runAsAdmin(at(serverUrl, address), `create database ${name}`)
    await runAsAdmin(at(serverUrl, address, name), 'create extension citus')
  }
  const url = at(serverUrl, coordinator, name)
  await addNode(url, 'citus_set_coordinator_host', coordinator)
  for (const address of workers) await addNode(url, 'citus_add_node', address)
  const migrations = join(import.meta.dirname, '../../migrations')
  await migrate(url, migrations, serviceRole)
  await distributeTables(url)
  await migrate(url, migrations, serviceRole)
}

/** Drops it on the coordinator and then on the workers. */
export async function dropDistributedDatabase(serverUrl: string, name: string, nodes: CitusNodes): Promise<void> {
  for (const address of [nodes.coordinator, ...nodes.workers])
    await runAsAdmin(at(serverUrl, address), `drop database if exists ${name} with (force)`)
}

function addNode(url: string, call: 'citus_set_coordinator_host' | 'citus_add_node', address: string): Promise<void> {
  const { hostname, port } = new URL(`postgres://${address}`)
  return runAsAdmin(url, `select ${call}('${hostname}', ${port})`)
}

/** The given URL at another node, in the database that it names or another one. */
function at(serverUrl: string, address: string, database?: string): string {
  const url = new URL(serverUrl)
  url.host = address
  if (database !== undefined) url.pathname = `/${database}`
  return url.href
}

function urlOf({ host, port }: pg.Client): string {
  return `postgres://${host}:${port}`
}
