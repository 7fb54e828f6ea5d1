import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  type Stats,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { errorCode, ignoreErrors } from '@storedex/process-lock/system-errors'
import { EmbeddedPostgresError } from './errors.ts'

/** An operating system user that root runs PostgreSQL as. */
export interface OsUser {
  uid: number
  gid: number
}

/**
 * The directory of one embedded PostgreSQL, and the user that its processes run as. PostgreSQL refuses to run as root, so
 * root runs it as the owner of an existing cluster, else as `postgres`, else as `nobody`.
 *
 * home/  lock.<n>  users/  start.log  last-port  cluster/{secret, data/}  [socket/]  [native-<version>/]
 */
export interface ClusterLocation {
  /** A real path: PostgreSQL's own files repeat it, and are compared with it. */
  home: string
  /** Undefined: as the user of this process. */
  runAs: OsUser | undefined
}

/**
 * Finds or makes `${dataDir}/postgres`. For root with a data directory below a closed folder it becomes a symbolic link
 * to a new directory in `homes`: durable like the rest, and without a change of permissions.
 */
export function prepareLocation(dataDir: string, homes: string): ClusterLocation {
  const isRoot = process.getuid?.() === 0
  ensureDataDir(dataDir)
  const entry = join(realpathSync(dataDir), 'postgres')
  if (!isRoot) {
    ignoreErrors(['EEXIST'], () => mkdirSync(entry, { mode: 0o700 }))
    return { home: resolveEntry(entry), runAs: undefined }
  }
  if (!lstatSync(entry, { throwIfNoEntry: false })) createHomeAsRoot(entry, homes)
  const home = resolveEntry(entry)
  if (statSync(home).uid === 0) chmodSync(home, 0o711)
  const runAs = ownerToRunAs(home)
  if (!hasAccess(home, runAs, 0o1)) {
    throw new EmbeddedPostgresError(
      `PostgreSQL runs as user ${runAs.uid}, who cannot reach ${home}: open the folders above it (chmod o+x) or choose another data directory.`,
      { remedy: 'other-data-directory' },
    )
  }
  return { home, runAs }
}

/** Creates a data directory that is missing. One created by root lets the user that PostgreSQL runs as pass through. */
export function ensureDataDir(dataDir: string): void {
  const isRoot = process.getuid?.() === 0
  const made = createDataDir(dataDir, isRoot ? 0o711 : 0o700)
  // A directory that existed before keeps its mode.
  if (made && isRoot) chmodSync(dataDir, 0o711)
}

/** Returns whether it had to be created. */
function createDataDir(dataDir: string, mode: number): boolean {
  try {
    return createFolders(dataDir, mode)
  } catch (cause) {
    throw new EmbeddedPostgresError(`The data directory ${dataDir} cannot be used as a folder (${errorCode(cause)}).`, {
      remedy: 'other-data-directory',
    })
  }
}

/** One folder at a time: Node's recursive mkdir never ends where a file system takes no new folders, as /proc. */
function createFolders(path: string, mode: number): boolean {
  if (isFolder(path)) return false
  if (dirname(path) !== path) createFolders(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
    return true
  } catch (error) {
    // Another start made it in between.
    if (errorCode(error) === 'EEXIST' && isFolder(path)) return false
    throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function createHomeAsRoot(entry: string, homes: string): void {
  if (hasAccess(dirname(entry), findFallbackUser(), 0o1)) {
    ignoreErrors(['EEXIST'], () => mkdirSync(entry))
    return
  }
  ignoreErrors(['EEXIST'], () => mkdirSync(homes, { recursive: true, mode: 0o755 }))
  const owner = lstatSync(homes)
  if (!owner.isDirectory() || owner.uid !== 0 || (owner.mode & 0o022) !== 0) {
    throw new EmbeddedPostgresError(
      `${homes} must be a directory that only root can write to; correct that or choose another data directory.`,
      { remedy: 'other-data-directory' },
    )
  }
  const home = join(realpathSync(homes), randomBytes(8).toString('hex'))
  mkdirSync(home)
  // Of two that start at once one makes the link, and both follow it.
  const linked = ignoreErrors(['EEXIST'], () => {
    symlinkSync(home, entry)
    return true
  })
  if (!linked) rmdirSync(home)
}

function resolveEntry(entry: string): string {
  const home = ignoreErrors(['ENOENT'], () => realpathSync(entry))
  if (home) return home
  throw new EmbeddedPostgresError(
    `The database of this data directory was in ${readlinkSync(entry)}, which is gone: restore it, or remove ${entry} to begin with an empty one.`,
  )
}

function ownerToRunAs(home: string): OsUser {
  for (const path of [join(home, 'cluster', 'data'), home]) {
    const owner = statSync(path, { throwIfNoEntry: false })
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  }
  return findFallbackUser()
}

/** Asked of the system, since users need not be in /etc/passwd. */
function findFallbackUser(): OsUser {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // No such user: the next one.
    }
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody: start as an ordinary user.',
    { remedy: 'own-server' },
  )
}

/** Whether the user may pass every folder above `path` and has the wanted rights (r 4, w 2, x 1) on it. */
export function hasAccess(path: string, user: OsUser, rights: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats || !allows(stats, user, rights)) return false
  const above = dirname(resolve(path))
  return above === resolve(path) || hasAccess(above, user, 0o1)
}

function allows(stats: Stats, user: OsUser, rights: number): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0
  return ((stats.mode >> shift) & rights) === rights
}

/** Gives a file created by root to the owner of the home, so that this user can use it later. */
export function giveToHomeOwner(location: ClusterLocation, path: string): void {
  if (process.getuid?.() !== 0) return
  const owner = statSync(location.home)
  lchownSync(path, owner.uid, owner.gid)
}
