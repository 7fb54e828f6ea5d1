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

/** A user of this machine whom root runs PostgreSQL as. */
export interface Account {
  uid: number
  gid: number
}

/**
 * Where everything of one embedded PostgreSQL lies, and as whom its processes run. PostgreSQL refuses to be root, so
 * root lends it another user: the owner of an existing cluster, else `postgres`, else `nobody`.
 *
 * home/  lock.<n>  users/  start.log  last-port  cluster/{secret, data/}  [socket/]  [native-<version>/]
 */
export interface Place {
  /** A real path: PostgreSQL's own files repeat it, and are compared with it. */
  home: string
  /** Undefined: as the user of this process. */
  runAs: Account | undefined
}

/** Clusters of data directories that the lent user cannot reach, such as one below /root. */
export const reachableHomes = '/var/lib/storedex'

/**
 * Finds or makes `${dataDir}/postgres`. For root with a data directory below a closed folder it becomes a symbolic link
 * to a new directory in `homes`: durable like the rest, and not a change of somebody's permissions.
 */
export function preparePlace(dataDir: string, homes: string = reachableHomes): Place {
  const isRoot = process.getuid?.() === 0
  provideDataDir(dataDir)
  const entry = join(realpathSync(dataDir), 'postgres')
  if (!isRoot) {
    ignoreErrors(['EEXIST'], () => mkdirSync(entry, { mode: 0o700 }))
    return { home: followEntry(entry), runAs: undefined }
  }
  if (!lstatSync(entry, { throwIfNoEntry: false })) makeHomeAsRoot(entry, homes)
  const home = followEntry(entry)
  if (statSync(home).uid === 0) chmodSync(home, 0o711)
  const runAs = ownerToRunAs(home)
  if (!canReach(home, runAs, 0o1)) {
    throw new EmbeddedPostgresError(
      `PostgreSQL runs as user ${runAs.uid}, who cannot reach ${home}: open the folders above it (chmod o+x) or choose another DATA_DIR.`,
    )
  }
  return { home, runAs }
}

/**
 * Makes a data directory that is not there. Whoever needs one first calls this, whatever for: root's has to let the user
 * whom PostgreSQL runs as pass through.
 */
export function provideDataDir(dataDir: string): void {
  const isRoot = process.getuid?.() === 0
  const made = makeDataDir(dataDir, isRoot ? 0o711 : 0o700)
  // Only what was made here is opened to passers-by; its files keep their own modes.
  if (made && isRoot) chmodSync(dataDir, 0o711)
}

/** Answers whether it had to be made. */
function makeDataDir(dataDir: string, mode: number): boolean {
  try {
    return makeFolders(dataDir, mode)
  } catch (cause) {
    throw new EmbeddedPostgresError(`DATA_DIR ${dataDir} cannot be used as a folder (${errorCode(cause)}).`)
  }
}

/** One folder at a time: Node's recursive mkdir never ends where a file system takes no new folders, as /proc. */
function makeFolders(path: string, mode: number): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false
  if (dirname(path) !== path) makeFolders(dirname(path), mode)
  mkdirSync(path, { mode })
  return true
}

function makeHomeAsRoot(entry: string, homes: string): void {
  if (canReach(dirname(entry), lentUser(), 0o1)) {
    ignoreErrors(['EEXIST'], () => mkdirSync(entry))
    return
  }
  ignoreErrors(['EEXIST'], () => mkdirSync(homes, { recursive: true, mode: 0o755 }))
  const owner = lstatSync(homes)
  if (!owner.isDirectory() || owner.uid !== 0 || (owner.mode & 0o022) !== 0) {
    throw new EmbeddedPostgresError(
      `${homes} must be a directory that only root can write to; choose another DATA_DIR or correct it.`,
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

function followEntry(entry: string): string {
  const home = ignoreErrors(['ENOENT'], () => realpathSync(entry))
  if (home) return home
  throw new EmbeddedPostgresError(
    `The database of this DATA_DIR lay in ${readlinkSync(entry)}, which is gone: restore it, or remove ${entry} to begin with an empty one.`,
  )
}

function ownerToRunAs(home: string): Account {
  for (const path of [join(home, 'cluster', 'data'), home]) {
    const owner = statSync(path, { throwIfNoEntry: false })
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  }
  return lentUser()
}

/** Asked of the system, since users need not be in /etc/passwd. */
function lentUser(): Account {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // No such user: the next one.
    }
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody: start as an ordinary user or set DATABASE_URL.',
  )
}

/** Whether the user may pass every folder above `path` and has the wanted rights (r 4, w 2, x 1) on it. */
export function canReach(path: string, account: Account, rights: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats || !allows(stats, account, rights)) return false
  const above = dirname(resolve(path))
  return above === resolve(path) || canReach(above, account, 0o1)
}

function allows(stats: Stats, account: Account, rights: number): boolean {
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0
  return ((stats.mode >> shift) & rights) === rights
}

/** Gives a file made by root to whoever owns the home, so that this user can go on with it later. */
export function handOver(place: Place, path: string): void {
  if (process.getuid?.() !== 0) return
  const owner = statSync(place.home)
  lchownSync(path, owner.uid, owner.gid)
}
