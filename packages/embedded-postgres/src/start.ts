import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from '@storedex/process-lock/system-errors'
import pg from 'pg'
import { type Binaries, findInstalledPackage, prepareBinaries } from './binaries.ts'
import {
  checkVersion,
  createCluster,
  createServiceRole,
  type DatabaseNames,
  grantServiceRoleToOwner,
  readSecret,
  removeUnfinishedClusters,
  setServicePassword,
  superuserName,
} from './cluster.ts'
import { EmbeddedPostgresError } from './errors.ts'
import type { ClusterLocation } from './location.ts'
import { isServerOf, type Postmaster, readPostmasterFile, removeMisleadingFile, startPostmaster } from './postmaster.ts'
import {
  pickFreePort,
  prepareSocket,
  readLastPort,
  serverSettings,
  socketFailure,
  socketUrl,
  writeLastPort,
} from './settings.ts'

export interface EmbeddedPostgresOptions {
  dataDir: string
  names: DatabaseNames
  /** The memory that the server's settings are sized to. */
  memoryBytes: number
  /** Where root keeps the cluster of a data directory that no other user can reach. */
  reachableHomes: string
  /** Server settings on top of our own; they take effect when this call is the one that starts the server. */
  settings?: Record<string, string>
  log?: (line: string) => void
  /** The directory of the PostgreSQL package, when it is not the installed one of this platform. */
  packageDir?: string
  /** Chooses the port to listen on; called again if the port is taken. */
  pickPort?: () => Promise<number>
}

/** Recovery after a crash of the machine may have gigabytes to replay. */
export const startTimeoutMs = 600_000
const connectTimeoutMs = 15_000
const maxStartAttempts = 20
const attemptsAtLastPort = 6

/** Another program took the port, another server started first, or a killed server's children still run: try again. */
const transientFailure =
  /could not create any TCP\/IP sockets|lock file "postmaster\.pid" (already exists|is empty)|pre-existing shared memory block/

/** A wrong password or a database that is not there: waiting helps with neither. */
const permanentFailure = /^(28|3D)/

/** The server that runs already, once it is ready: one that is still starting or stopping is waited for. */
async function findRunning(home: string): Promise<Postmaster | undefined> {
  let emptyBefore = false
  for (const deadline = performance.now() + startTimeoutMs; ; await delay(emptyBefore ? 200 : 10)) {
    const found = readPostmasterFile(home)
    if (!found) return undefined
    if (found.pid === 0 && !emptyBefore) {
      emptyBefore = true // perhaps it is being written this instant
      continue
    }
    if (!isServerOf(home, found.pid)) {
      removeMisleadingFile(home, found.pid)
      return undefined
    }
    if (found.status === 'ready') return found
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        `PostgreSQL in ${home} (process ${found.pid}) is ${found.status} and does not get ready.`,
      )
    }
  }
}

interface RunningServer {
  postmaster: Postmaster
  adopted: boolean
  urls: readonly string[]
}

/**
 * Only our own server knows the verifier of our secret, so a connection proves that the port is not another program's by
 * now. A server that refuses may have begun to stop since it was found: then it is looked for again.
 */
export async function joinOrStart(location: ClusterLocation, options: EmbeddedPostgresOptions): Promise<RunningServer> {
  const { names } = options
  for (const deadline = performance.now() + connectTimeoutMs; ; await delay(50)) {
    const running = await findRunning(location.home)
    const { postmaster, adopted } = running ? { postmaster: running, adopted: true } : await start(location, options)
    const urlOf = (role: string) =>
      `postgres://${role}:${readSecret(location.home)}@127.0.0.1:${postmaster.port}/${names.database}`
    const url = urlOf(names.owner)
    const refusal = await findConnectionError(url)
    if (!refusal) {
      if (await findConnectionError(urlOf(names.serviceRole))) {
        await addServiceRole(urlOf(superuserName), names, readSecret(location.home)!)
      }
      const bySocket = socketUrl(url, location, postmaster)
      if (bySocket === undefined) return { postmaster, adopted, urls: [url] }
      if (!(await findConnectionError(bySocket))) return { postmaster, adopted, urls: [bySocket, url] }
      // Either the socket cannot be used here, or the server died between the two looks.
      if (!(await findConnectionError(url))) return { postmaster, adopted, urls: [url] }
      continue
    }
    const isFinal = permanentFailure.test(errorCode(refusal) ?? '')
    if (!isFinal && performance.now() < deadline) continue
    const advice = isFinal ? ': restore the database and its secret from one backup' : ''
    throw new EmbeddedPostgresError(
      `PostgreSQL in ${location.home} takes no connection (${refusal.message})${advice}.`,
      {
        cause: refusal,
      },
    )
  }
}

/** Gives a cluster the role that the service works as: one that an older version made lacks it. */
async function addServiceRole(superuserUrl: string, names: DatabaseNames, secret: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl, connectionTimeoutMillis: connectTimeoutMs })
  client.on('error', () => {}) // the statement that fails reports a broken connection
  try {
    await client.connect()
    const { rows } = await client.query('select from pg_roles where rolname = $1::text', [names.serviceRole])
    await client.query(rows.length === 0 ? createServiceRole(names, secret) : setServicePassword(names, secret))
    await client.query(grantServiceRoleToOwner(names))
  } finally {
    await client.end().catch(() => {})
  }
}

async function findConnectionError(url: string): Promise<Error | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
  client.on('error', () => {}) // the connection is only looked at, never used
  try {
    await client.connect()
    return undefined
  } catch (refusal) {
    return refusal as Error
  } finally {
    await client.end().catch(() => {})
  }
}

async function start(
  location: ClusterLocation,
  options: EmbeddedPostgresOptions,
): Promise<Omit<RunningServer, 'urls'>> {
  const binaries = await prepareToStart(location, options)
  let socket = prepareSocket(location)
  const pickPort = options.pickPort ?? pickFreePort
  // The port it had before, so that clients that still have its address find it again. The last children of a server that
  // was killed can keep it busy for a moment.
  const lastPort = options.pickPort ? undefined : readLastPort(location.home)
  for (let attempt = 1; ; attempt++) {
    const port = lastPort !== undefined && attempt <= attemptsAtLastPort ? lastPort : await pickPort()
    const settings = { ...serverSettings(options.memoryBytes), ...socket, ...options.settings }
    const request = { location, binaries, settings, port, timeoutMs: startTimeoutMs }
    const outcome = await startPostmaster(request)
    if (!('failure' in outcome)) {
      writeLastPort(location.home, port)
      return { postmaster: outcome, adopted: false }
    }
    const isSocketRefused = 'unix_socket_directories' in socket && socketFailure.test(outcome.failure)
    if (isSocketRefused) socket = {}
    else if (attempt === maxStartAttempts || !transientFailure.test(outcome.failure)) {
      const cause = new Error(outcome.failure.trim())
      throw new EmbeddedPostgresError(`PostgreSQL in ${location.home} did not start; the end of its log tells why.`, {
        cause,
      })
    }
    await delay(attempt * 50)
    const running = await findRunning(location.home)
    if (running) return { postmaster: running, adopted: true }
  }
}

/** Everything that must be there before a server can be started: its programs and a cluster that they can read. */
async function prepareToStart(location: ClusterLocation, options: EmbeddedPostgresOptions): Promise<Binaries> {
  const binaries = prepareBinaries(location, options.packageDir ?? findInstalledPackage())
  removeUnfinishedClusters(location.home)
  if (readSecret(location.home)) {
    checkVersion(location.home, binaries.majorVersion)
  } else {
    options.log?.(`Making a new database in ${location.home}`)
    await createCluster(location, binaries, options.names)
  }
  return binaries
}
