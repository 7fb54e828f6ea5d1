import { lchownSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from './location.ts'
import type { Postmaster } from './postmaster.ts'

/** Systems differ in how long a socket's path may be; 103 bytes is the least of them. */
const longestPathBytes = 100

/** The folder of the server's Unix socket; undefined where there can be none. */
function socketFolderOf(home: string): string | undefined {
  const folder = join(home, 'socket')
  const isShort = Buffer.byteLength(join(folder, '.s.PGSQL.65535')) <= longestPathBytes
  return isShort && process.platform !== 'win32' ? folder : undefined
}

/**
 * Makes the socket's folder anew, without what a killed server left in it, and answers the settings that make the server
 * listen there. Only its user may enter. To be called under the lock, while no server of this home runs.
 */
export function prepareSocket({ home, runAs }: Place): Record<string, string> {
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
export function socketUrl(url: string, { home }: Place, postmaster: Postmaster): string | undefined {
  const folder = socketFolderOf(home)
  if (!folder || postmaster.socketFolder !== folder) return undefined
  return `${url}?host=${encodeURIComponent(folder)}`
}
