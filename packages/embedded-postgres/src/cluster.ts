import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ignoreErrors } from '@storedex/process-lock/system-errors'
import { type Binaries, runProgram } from './binaries.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { type ClusterLocation, giveToHomeOwner } from './location.ts'

export interface DatabaseNames {
  database: string
  /** The role that owns the database. */
  owner: string
  /** A role that owns nothing and has no rights until the owner grants them. The owner may act as it. */
  serviceRole: string
}

export const superuserName = 'postgres'
const temporaryPrefix = 'initializing-'

/** The files of the home's cluster, whether or not it exists yet. */
export function clusterPaths(home: string) {
  const cluster = join(home, 'cluster')
  return { cluster, secret: join(cluster, 'secret'), data: join(cluster, 'data') }
}

/** The password of all roles; undefined while there is no cluster. */
export function readSecret(home: string): string | undefined {
  const { cluster, secret } = clusterPaths(home)
  if (!existsSync(cluster)) return undefined
  const value = ignoreErrors(['ENOENT'], () => readFileSync(secret, 'utf8').trim())
  if (value) return value
  throw new EmbeddedPostgresError(
    `The password of the embedded PostgreSQL is missing: restore ${secret} from a backup.`,
  )
}

/** Refuses a cluster that another major version made: its files cannot be read. */
export function checkVersion(home: string, majorVersion: string): void {
  const { data } = clusterPaths(home)
  const found = ignoreErrors(['ENOENT'], () => readFileSync(join(data, 'PG_VERSION'), 'utf8').trim())
  if (found === majorVersion) return
  throw new EmbeddedPostgresError(
    found
      ? `${data} was made by PostgreSQL ${found} and this version brings PostgreSQL ${majorVersion}: make a backup with the version of this program that was used before, and restore it into another data directory.`
      : `${data} is damaged, it has no PG_VERSION: restore it from a backup, or choose another data directory.`,
    { remedy: 'other-data-directory' },
  )
}

/**
 * Makes the cluster with its secret, role and database. All of it is made in a temporary directory, and one rename brings it
 * into being whole, so a start that was cut short leaves nothing but a directory that the next one removes.
 */
export async function createCluster(
  location: ClusterLocation,
  binaries: Binaries,
  names: DatabaseNames,
): Promise<void> {
  // A name of its own: an initdb whose starter was killed may still be writing into the directory it was given.
  const temporary = join(location.home, `${temporaryPrefix}${randomBytes(6).toString('hex')}`)
  mkdirSync(temporary)
  chmodSync(temporary, location.runAs ? 0o711 : 0o700)
  giveToHomeOwner(location, temporary)
  const secret = randomBytes(32).toString('base64url')
  const passwordFile = join(temporary, 'initdb-password')
  const data = join(temporary, 'data')
  try {
    mkdirSync(data, { mode: 0o700 })
    writePrivateFile(passwordFile, secret)
    if (location.runAs) {
      for (const path of [data, passwordFile]) lchownSync(path, location.runAs.uid, location.runAs.gid)
    }
    await initialize(location, binaries, data, passwordFile)
    await createRolesAndDatabase(location, binaries, names, data, secret)
    rmSync(passwordFile)
    writePrivateFile(join(temporary, 'secret'), secret)
    giveToHomeOwner(location, join(temporary, 'secret'))
    for (const path of [join(temporary, 'secret'), temporary]) syncToDisk(path)
    renameSync(temporary, clusterPaths(location.home).cluster)
    syncToDisk(location.home)
  } catch (error) {
    removeUnfinishedClusters(location.home)
    throw error
  }
}

async function initialize(
  location: ClusterLocation,
  binaries: Binaries,
  data: string,
  passwordFile: string,
): Promise<void> {
  const { code, output } = await runProgram(
    binaries.initdb,
    [
      ...['--pgdata', data, '--username', superuserName, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...['--data-checksums', '--no-instructions'],
    ],
    location,
  )
  if (code !== 0) {
    throw new EmbeddedPostgresError(`A new database could not be made in ${location.home}.`, {
      cause: new Error(output),
    })
  }
}

/**
 * The service works as an ordinary role that owns its database; only the operator has reason to connect as superuser.
 * A single-user server does this before the cluster is ready, so no cluster lacks them.
 */
async function createRolesAndDatabase(
  location: ClusterLocation,
  binaries: Binaries,
  names: DatabaseNames,
  data: string,
  secret: string,
): Promise<void> {
  const statements = [
    `create role ${names.owner} login createdb password '${secret}'`,
    `grant pg_monitor to ${names.owner}`,
    createServiceRole(names, secret),
    grantServiceRoleToOwner(names),
    `create database ${names.database} owner ${names.owner}`,
  ]
  const { code, output } = await runProgram(
    binaries.postgres,
    ['--single', '-D', data, '-c', 'log_min_error_statement=panic', '-c', 'log_checkpoints=off', superuserName],
    { runAs: location.runAs, input: `${statements.join('\n')}\n` },
  )
  // A single-user server goes on after an error and ends well; only its words tell.
  if (code !== 0 || /\b(ERROR|FATAL|PANIC):/.test(output)) {
    throw new EmbeddedPostgresError(`The new database in ${location.home} could not be set up.`, {
      cause: new Error(output),
    })
  }
}

export function createServiceRole({ serviceRole }: DatabaseNames, secret: string): string {
  return `create role ${serviceRole} login password '${secret}'`
}

/** Lets the owner see and end sessions of the service. */
export function grantServiceRoleToOwner({ serviceRole, owner }: DatabaseNames): string {
  return `grant ${serviceRole} to ${owner}`
}

export function setServicePassword({ serviceRole }: DatabaseNames, secret: string): string {
  return `alter role ${serviceRole} login password '${secret}'`
}

/** Removes what a start that was cut short left behind. */
export function removeUnfinishedClusters(home: string): void {
  for (const name of readdirSync(home)) {
    if (!name.startsWith(temporaryPrefix)) continue
    // An abandoned initdb may be adding files while they are removed; what stays goes at the next start.
    ignoreErrors(['ENOTEMPTY'], () => rmSync(join(home, name), { recursive: true, force: true, maxRetries: 3 }))
  }
}

function writePrivateFile(path: string, text: string): void {
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
}

/** Brings a file's content, or a directory's entries, to the disk. */
function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
