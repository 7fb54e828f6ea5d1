import { lchownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ignoreErrors } from '@storedex/process-lock/system-errors'
import type { ClusterLocation } from './location.ts'
import type { Postmaster } from './postmaster.ts'

const megabyte = 1024 * 1024

/**
 * How the embedded server is set up: fully durable, sized to the machine, reachable from this machine only, and silent
 * about the values it is given. Passed at every start, so that an update brings its settings along.
 */
export function serverSettings(memoryBytes: number): Record<string, string> {
  const memoryMb = Math.floor(memoryBytes / megabyte)
  const share = (part: number, leastMb: number, mostMb: number) =>
    `${Math.min(mostMb, Math.max(leastMb, Math.floor(memoryMb * part)))}MB`
  // On a small machine each megabyte of these is missed by the service: all of them together can be in use at once.
  const isSmall = memoryMb < 1024
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    max_connections: '200',

    shared_buffers: isSmall ? share(0.125, 48, 128) : share(0.25, 256, 1024),
    effective_cache_size: share(0.5, 256, 65_536),
    maintenance_work_mem: share(0.05, isSmall ? 32 : 64, 512),
    work_mem: share(0.005, 4, 16),
    random_page_cost: '1.1',
    jit: 'off',

    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    // Room for a bulk import without a checkpoint every few seconds.
    max_wal_size: '4GB',
    wal_compression: 'on',
    checkpoint_completion_target: '0.9',

    timezone: 'UTC',
    log_timezone: 'UTC',
    logging_collector: 'on',
    log_directory: 'log',
    // A week of files, each overwritten when its day comes round.
    log_filename: 'postgresql-%a.log',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    log_truncate_on_rotation: 'on',
    log_file_mode: '0600',
    // A failed statement is its sender's to report: its text, its parameters and the row it names may be a person's data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
  }
}

/** Systems differ in how long a socket's path may be; 103 bytes is the least of them. */
const longestPathBytes = 100

/** The folder of the server's Unix socket; undefined where there can be none. */
function socketFolderOf(home: string): string | undefined {
  const folder = join(home, 'socket')
  const isShort = Buffer.byteLength(join(folder, '.s.PGSQL.65535')) <= longestPathBytes
  return isShort && process.platform !== 'win32' ? folder : undefined
}

/**
 * Makes an empty folder for the socket, without files of a killed server, and returns the settings that make the server
 * listen there. Only its user may enter. To be called under the lock, while no server of this home runs.
 */
export function prepareSocket({ home, runAs }: ClusterLocation): Record<string, string> {
  const folder = socketFolderOf(home)
  if (!folder) return {}
  removeSocket(home)
  mkdirSync(folder, { mode: 0o700 })
  if (runAs) lchownSync(folder, runAs.uid, runAs.gid)
  // The setting is a list, in which a quoted name may hold anything.
  return { unix_socket_directories: `"${folder.replaceAll('"', '""')}"`, unix_socket_permissions: '0700' }
}

/** Some file systems hold no sockets, such as folders that a container shares with its host. */
export const socketFailure = /FATAL: .*(Unix-domain socket|\.s\.PGSQL\.)/

/** To be called when no server of this home runs any more. */
export function removeSocket(home: string): void {
  rmSync(join(home, 'socket'), { recursive: true, force: true })
}

/**
 * The address of a server by its socket, in the form that `pg` and `psql` read: what `host` names wins over the address
 * before it. Undefined for a server without one.
 */
export function socketUrl(url: string, { home }: ClusterLocation, postmaster: Postmaster): string | undefined {
  const folder = socketFolderOf(home)
  if (!folder || postmaster.socketFolder !== folder) return undefined
  return `${url}?host=${encodeURIComponent(folder)}`
}

export function readLastPort(home: string): number | undefined {
  const text = ignoreErrors(['ENOENT'], () => readFileSync(lastPortPath(home), 'utf8'))
  return Number(text) || undefined
}

export function writeLastPort(home: string, port: number): void {
  writeFileSync(lastPortPath(home), String(port), { mode: 0o600 })
}

function lastPortPath(home: string): string {
  return join(home, 'last-port')
}

/** A port that was free a moment ago. */
export function pickFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
