import { execFileSync } from 'node:child_process'
import { chmodSync, lchownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareBinaries, runProgram } from '@storedex/embedded-postgres/binaries'
import { clusterPaths } from '@storedex/embedded-postgres/cluster'
import { type ClusterLocation, prepareLocation } from '@storedex/embedded-postgres/location'
import { isServerOf, startPostmaster, stopPostmaster } from '@storedex/embedded-postgres/postmaster'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import { copyDirectory, run, until } from '../../../../../packages/embedded-postgres/test/support.ts'
import { reachableHomes } from '../../../../src/foundation/db/embedded.ts'
import { atEnd } from '../../../support/cleanup.ts'

type Settings = Record<string, string>

// A killed process loses nothing that it wrote; only a machine without power would.
const common = { fsync: 'off', listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '100' }

/** A PostgreSQL of a test's own, which the test may kill. */
export interface OwnServer {
  port: number
  /** Where its configuration files are. */
  data: string
  /** URL of a superuser. */
  urlOf(database: string): string
  kill(): Promise<void>
}

const database = 'shops'

/** Creates an empty cluster: everybody on this machine may connect. The folder goes with the file's tests. */
async function createCluster(): Promise<ClusterLocation> {
  const location = makeLocation()
  const { data } = clusterPaths(location.home)
  mkdirSync(data, { mode: 0o700, recursive: true })
  if (location.runAs) lchownSync(data, location.runAs.uid, location.runAs.gid)
  const args = ['--username=storedex', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  const initdb = prepareBinaries(location).initdb
  const { code, output } = await runProgram(initdb, ['--pgdata', data, ...args], { runAs: location.runAs })
  if (code !== 0) throw new Error(`initdb failed: ${output}`)
  return location
}

function makeLocation(): ClusterLocation {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'storedex-failover-'))
  // Started by root, PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(folder, 0o711)
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const location = prepareLocation(folder, reachableHomes)
  mkdirSync(clusterPaths(location.home).cluster, { recursive: true })
  return location
}

async function start(location: ClusterLocation, settings: Settings): Promise<OwnServer> {
  const { home } = location
  const started = await startPostmaster({
    location,
    binaries: prepareBinaries(location),
    settings: { ...common, ...settings },
    port: await pickFreePort(),
    timeoutMs: 60_000,
  })
  if ('failure' in started) throw new Error(`PostgreSQL did not start: ${started.failure}`)
  const { port, pid } = started
  atEnd(() => stopPostmaster(home, pid))
  return {
    port,
    data: clusterPaths(home).data,
    urlOf: (name) => `postgres://storedex@127.0.0.1:${port}/${name}`,
    kill: async () => {
      process.kill(pid, 'SIGKILL')
      await until(() => !isServerOf(home, pid))
    },
  }
}

/** Starts a PostgreSQL with an empty database. */
export async function startAlone(): Promise<{ server: OwnServer; database: string }> {
  const server = await start(await createCluster(), {})
  await run(server.urlOf('postgres'), `create database ${database}`)
  return { server, database }
}

export interface Pair {
  primary: OwnServer
  standby: OwnServer
  /** The database that both have. */
  database: string
  /** Makes the standby a primary. */
  promote(): Promise<void>
}

/** Starts a primary and a hot standby. A commit is acknowledged when both have it on disk. */
export async function startPair({
  synchronous = true,
  standbySettings = {},
}: {
  synchronous?: boolean
  standbySettings?: Settings
} = {}): Promise<Pair> {
  const origin = await createCluster()
  const first = await start(origin, {})
  await run(first.urlOf('postgres'), `create database ${database}`)
  await stopPostmaster(origin.home, pidOf(first))
  const copy = makeLocation()
  rmSync(clusterPaths(copy.home).data, { recursive: true, force: true })
  copyDirectory(clusterPaths(origin.home).data, clusterPaths(copy.home).data)
  const signal = join(clusterPaths(copy.home).data, 'standby.signal')
  writeFileSync(signal, '')
  if (copy.runAs) lchownSync(signal, copy.runAs.uid, copy.runAs.gid)

  const primary = await start(origin, synchronous ? { synchronous_standby_names: '*' } : {})
  const standby = await start(copy, {
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=storedex`,
    wal_retrieve_retry_interval: '200ms',
    ...standbySettings,
  })
  await until(async () => {
    const [row] = await run(primary.urlOf('postgres'), "select from pg_stat_replication where state = 'streaming'")
    return row !== undefined
  })
  return {
    primary,
    standby,
    database,
    promote: async () => void (await run(standby.urlOf('postgres'), 'select pg_promote(true, 30)')),
  }
}

function pidOf({ data }: OwnServer): number {
  return Number(execFileSync('head', ['-n', '1', join(data, 'postmaster.pid')], { encoding: 'utf8' }))
}
