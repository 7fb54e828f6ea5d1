import { chmodSync, existsSync, lchownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from '@storedex/embedded-postgres/binaries'
import { clusterPaths } from '@storedex/embedded-postgres/cluster'
import { prepareLocation } from '@storedex/embedded-postgres/location'
import { startPostmaster, stopPostmaster } from '@storedex/embedded-postgres/postmaster'
import { pickFreePort } from '@storedex/embedded-postgres/settings'
import pg from 'pg'
import { serverPid } from '../../../packages/embedded-postgres/test/support.ts'
import { openDatabaseServer, reachableHomes } from '../../src/foundation/db/embedded.ts'
import { withRetries } from '../../src/foundation/runtime/timing.ts'

interface TestPostgres {
  /** URL of a role that may create databases. */
  url: string
  /** Whether it was started for this run. */
  isOwn: boolean
  stop(): Promise<void>
}

type OwnServer = Omit<TestPostgres, 'isOwn'>

// Durability does not matter here, nor do the statistics of databases that live for seconds. Log segments are not kept for
// reuse: they would fill the memory that the cluster is in.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  autovacuum: 'off',
  max_wal_size: '512MB',
}

const folderInMemory = '/dev/shm'
const enoughMemoryBytes = 4 * 2 ** 30

/** Cloning a database writes 300 small files, which takes a disk's file system ten times as long as memory. */
function folderForCluster(): string {
  const inMemory = existsSync(folderInMemory) ? statfsSync(folderInMemory) : null
  return inMemory && inMemory.bavail * inMemory.bsize >= enoughMemoryBytes ? folderInMemory : realpathSync(tmpdir())
}

/**
 * Runs a statement that creates, drops or prepares a database. For a short time, cloning fails while another clone reads the
 * template, and dropping while autovacuum is at work there.
 */
export async function runAsAdmin(serverUrl: string, statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: serverUrl })
  // The next statement fails if the server ends the connection.
  admin.on('error', () => {})
  await admin.connect()
  const isPassing = (error: unknown) => ['55006', '42501'].includes((error as pg.DatabaseError).code ?? '')
  await withRetries(
    () => admin.query(statement),
    (error, attempt) => (attempt < 50 && isPassing(error) ? 20 * attempt : null),
  ).finally(() => admin.end())
}

/**
 * Starts a PostgreSQL for one test run: the one at TEST_DATABASE_URL, or a new one with the programs in
 * TEST_POSTGRES_BIN, or the embedded one. A run that Ctrl-C ends leaves no server behind.
 */
export async function startTestPostgres(): Promise<TestPostgres> {
  const { TEST_DATABASE_URL: url, TEST_POSTGRES_BIN: programs } = process.env
  if (url) return { url, isOwn: false, stop: async () => {} }
  const folder = mkdtempSync(join(folderForCluster(), 'storedex-test-'))
  // Started by root, PostgreSQL runs as another user, who needs access to the folder.
  chmodSync(folder, 0o711)
  const server = programs ? await startForeign(programs, folder) : await startEmbedded(folder)
  const stopAtExit = () => stopAtOnce(folder)
  process.once('exit', stopAtExit)
  const stop = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    process.off('exit', stopAtExit)
  }
  return { url: server.url, isOwn: true, stop }
}

/** Nothing can be awaited when the process exits: the server gets no time for a checkpoint. */
function stopAtOnce(folder: string): void {
  const pid = serverPid(folder)
  if (pid !== undefined) process.kill(pid, 'SIGQUIT')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function startEmbedded(folder: string): Promise<OwnServer> {
  const { url, release } = await openDatabaseServer({ dataDir: folder, settings })
  return { url, stop: release }
}

async function startForeign(programs: string, folder: string): Promise<OwnServer> {
  const location = prepareLocation(folder, reachableHomes)
  const { cluster, data } = clusterPaths(location.home)
  mkdirSync(cluster)
  mkdirSync(data, { mode: 0o700 })
  if (location.runAs) lchownSync(data, location.runAs.uid, location.runAs.gid)
  const [initdb, postgres] = [join(programs, 'initdb'), join(programs, 'postgres')]
  const args = ['--username=storedex', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  const { code, output } = await runProgram(initdb, ['--pgdata', data, ...args], { runAs: location.runAs })
  if (code !== 0) throw new Error(`${initdb} failed: ${output}`)
  const started = await startPostmaster({
    location,
    binaries: { initdb, postgres, majorVersion: '' },
    settings: { ...settings, listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200' },
    port: await pickFreePort(),
    timeoutMs: 60_000,
  })
  if ('failure' in started) throw new Error(`${postgres} did not start: ${started.failure}`)
  const url = `postgres://storedex@127.0.0.1:${started.port}/postgres`
  return { url, stop: () => stopPostmaster(location.home, started.pid) }
}
