import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { findInstalledPackage } from '@storedex/embedded-postgres/binaries'
import { keyFilePath } from '../../foundation/encryption/keyring-file.ts'
import { formatNumber } from '../../foundation/kernel/time.ts'
import { availableMemory, minimumMemory } from '../../foundation/runtime/memory.ts'
import type { Config } from '../config.ts'
import { type Check, failed, passed, runCheck, warned } from './checks.ts'

/** Checks of the machine and of this user's permissions. `service` is where the service was started last, if one is running now. */
export async function checkMachine(config: Config, service: RunningService | null): Promise<Check[]> {
  const checks: [string, () => Check | Promise<Check>][] = [
    ['node', checkNode],
    ['memory', () => checkMemory(config)],
    ['data_directory', () => checkDataDirectory(config)],
    ['data_keys_file', () => checkKeyFile(config)],
    ['disk', () => checkDisk(config)],
    ['postgresql_package', () => checkPackage(config)],
    ['port', () => checkPort(config, service)],
  ]
  return Promise.all(checks.map(([name, check]) => runCheck(name, async () => check())))
}

/** The major version that has reached its end of life. */
const endedNode = 20

export function checkNode(version = process.versions.node): Check {
  return Number(version.split('.')[0]) > endedNode
    ? passed('node', `Node ${version}.`)
    : warned('node', `Node ${version} gets no more security fixes.`, 'Use Node 24.')
}

const megabyte = 2 ** 20
/** Below this imports leave no room for the file cache. */
const comfortableMemory = 512 * megabyte

export function checkMemory({ databaseUrl }: Pick<Config, 'databaseUrl'>, available = availableMemory()): Check {
  const embedsPostgres = databaseUrl === null
  const needed = minimumMemory({ embedsPostgres })
  const detail = `${inMegabytes(available)} can be used; at least ${inMegabytes(needed)} are needed.`
  if (available < needed)
    return failed('memory', detail, embedsPostgres ? 'Give it more, or set DATABASE_URL.' : 'Give it more.')
  return available < comfortableMemory
    ? warned('memory', detail, '512 MB are comfortable while files are imported.')
    : passed('memory', detail)
}

function inMegabytes(bytes: number): string {
  return `${formatNumber(Math.floor(bytes / megabyte))} MB`
}

function checkDataDirectory({ dataDir }: Pick<Config, 'dataDir'>): Check {
  const name = 'data_directory'
  if (!existsSync(dataDir)) {
    const folder = firstExisting(dataDir)
    return mayWrite(folder)
      ? warned(name, `${dataDir} does not exist yet.`, 'The first start creates it. Set DATA_DIR if it is elsewhere.')
      : failed(name, `${dataDir} does not exist, and this user cannot create it in ${folder}.`, 'Set DATA_DIR.')
  }
  if (!statSync(dataDir).isDirectory()) return failed(name, `${dataDir} is no folder.`, 'Set DATA_DIR to a folder.')
  return mayWrite(dataDir)
    ? passed(name, `${dataDir} can be read and written.`)
    : failed(
        name,
        `This user cannot write to ${dataDir}.`,
        'Run this as the user who runs the service, or set DATA_DIR.',
      )
}

function firstExisting(path: string): string {
  return existsSync(path) ? path : firstExisting(dirname(path))
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Everybody who can read this file and a copy of the database can read all contacts. */
export function checkKeyFile({ dataDir, dataKeys }: Pick<Config, 'dataDir' | 'dataKeys'>): Check {
  const name = 'data_keys_file'
  const path = keyFilePath(dataDir)
  if (dataKeys) return passed(name, 'The keyring is in DATA_KEYS.')
  if (!existsSync(path))
    return warned(name, `There is no ${path} yet.`, 'The first start creates it; keep a copy of it.')
  return (statSync(path).mode & 0o077) === 0
    ? passed(name, `${path} is readable by its owner only.`, 'Keep a copy of it, apart from backups of the database.')
    : failed(name, `${path} can be read by other users.`, `chmod 600 ${path}`)
}

/** PostgreSQL stops when it cannot write; a catalogue of a million stores takes several gigabytes. */
const leastFreeBytes = 100_000_000
const comfortableFreeBytes = 2_000_000_000

function checkDisk({ dataDir }: Pick<Config, 'dataDir'>): Check {
  const folder = firstExisting(dataDir)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const detail = `${inMegabytes(free)} are free at ${folder}.`
  if (free < leastFreeBytes) return failed('disk', detail, 'Free some space: the database stops when the disk is full.')
  return free < comfortableFreeBytes
    ? warned('disk', detail, 'Free some space before large imports.')
    : passed('disk', detail)
}

function checkPackage({ databaseUrl }: Pick<Config, 'databaseUrl'>): Check {
  const name = 'postgresql_package'
  if (databaseUrl !== null) return passed(name, 'Not needed: DATABASE_URL names a PostgreSQL of yours.')
  const folder = findInstalledPackage()
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  return passed(name, `PostgreSQL ${version.replace(/-.*/, '')} is installed as a package.`)
}

/** A service that is connected to the database now. */
export interface RunningService {
  /** The base of its links; null if it was not recorded. */
  url: string | null
}

export async function checkPort(
  { host, port, publicUrl, isPortGiven }: Pick<Config, 'host' | 'port' | 'publicUrl' | 'isPortGiven'>,
  service: RunningService | null,
): Promise<Check> {
  const name = 'port'
  const problem = port === 0 ? null : await findListenError(host, port)
  const at = `port ${port} on ${host}`
  if (service && (problem === 'EADDRINUSE' || service.url !== null))
    return passed(name, `A service runs${service.url === null ? '' : ` at ${service.url}`}.`)
  if (problem === null) return passed(name, `Nothing listens at ${at}, where the service would.`, publicUrl && null)
  if (problem !== 'EADDRINUSE')
    return failed(name, `The service cannot listen at ${at} (${problem}).`, 'Change HOST or PORT.')
  return isPortGiven
    ? failed(name, `Another program listens at ${at}.`, 'Stop it, or set PORT.')
    : warned(name, `Another program listens at ${at}.`, 'A start takes the next free port; set PORT to choose one.')
}

/** The code of the error with which listening there fails; null if it is possible. */
function findListenError(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)))
  })
}
