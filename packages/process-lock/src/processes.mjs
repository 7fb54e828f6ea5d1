import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { assumeOnShortage, ignoreErrors } from './system-errors.mjs'

/**
 * A process id alone identifies no process: ids are used again, soonest in a container that restarts. An id together with
 * the start time does.
 * @typedef {object} ProcessInfo
 * @property {string} startedAt
 * @property {string} arguments
 */

/**
 * Information on a running process; undefined for one that is gone or a zombie. Throws when the system cannot tell, for
 * want of descriptors or processes: that does not mean that the process is gone.
 * @param {number} pid
 * @returns {ProcessInfo | undefined}
 */
export function inspectProcess(pid) {
  return process.platform === 'linux' ? inspectByProc(pid) : inspectByPs(pid)
}

/**
 * @param {number} pid
 * @returns {ProcessInfo | undefined}
 */
function inspectByProc(pid) {
  return ignoreErrors(['ENOENT', 'ESRCH'], () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain anything; the third field follows the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ')
    return { startedAt: `${bootId()} ${fields[19]}`, arguments: commandLine.trimEnd() }
  })
}

/** @type {string | undefined} */
let knownBootId
function bootId() {
  knownBootId ??=
    ignoreErrors(['ENOENT', 'EACCES'], () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? ''
  return knownBootId
}

/**
 * @param {number} pid
 * @returns {ProcessInfo | undefined}
 */
function inspectByPs(pid) {
  let line
  try {
    const columns = ['-ww', '-o', 'lstart=', '-o', 'stat=', '-o', 'args=', '-p', String(pid)]
    line = execFileSync('ps', columns, {
      encoding: 'utf8',
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/bin:/usr/bin' },
      stdio: 'pipe',
    })
  } catch (error) {
    // ps found no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return undefined
    throw error
  }
  const found = /^\s*(\w+ +\w+ +\d+ +[\d:]+ +\d+) +(\S+) +(.*)/.exec(line.trimEnd())
  if (!found?.[1] || found[2]?.startsWith('Z')) return undefined
  return { startedAt: found[1], arguments: found[3] ?? '' }
}

/**
 * A text that identifies a process for good, also after its id is used again: the id and the start time.
 * @param {number} pid
 * @returns {string}
 */
export function processIdentity(pid) {
  return `${pid} ${inspectProcess(pid)?.startedAt}`
}

/** @type {string | undefined} */
let ownIdentity

/** The identity of this process. */
export function currentProcessIdentity() {
  ownIdentity ??= processIdentity(process.pid)
  return ownIdentity
}

/**
 * Whether the process with this identity still runs; true also when the system cannot tell.
 * @param {string} identity
 * @returns {boolean}
 */
export function isProcessAlive(identity) {
  return assumeOnShortage(true, () => {
    if (identity === currentProcessIdentity()) return true
    const pid = pidOf(identity)
    const info = pid > 0 ? inspectProcess(pid) : undefined
    return info !== undefined && identity === `${pid} ${info.startedAt}`
  })
}

/**
 * The process id in an identity; NaN in a text that is none.
 * @param {string} identity
 * @returns {number}
 */
export function pidOf(identity) {
  return Number.parseInt(identity, 10)
}
