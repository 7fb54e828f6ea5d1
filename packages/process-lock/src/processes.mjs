import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { codeOf, unless } from '../../embedded-postgres/src/errors.ts'

/**
 * What is known of a running process. A process id alone names nobody: ids are used again, soonest in a container that
 * restarts. An id together with the moment its process began does.
 */

/**
 * The facts of a running process; undefined for one that is gone or a zombie nobody has reaped. Throws when the system
 * cannot tell, for want of descriptors or processes: that does not mean that it is gone.
 */
export function inspectProcess(pid) {
  return process.platform === 'linux' ? inspectByProc(pid) : inspectByPs(pid)
}

function inspectByProc(pid) {
  return unless(['ENOENT', 'ESRCH'], () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; what follows the last one is the third field and on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ')
    return { startedAt: `${bootId()} ${fields[19]}`, arguments: commandLine.trimEnd() }
  })
}

let knownBootId
function bootId() {
  knownBootId ??=
    unless(['ENOENT', 'EACCES'], () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? ''
  return knownBootId
}

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
    if (error.status === 1) return undefined // ps found no such process
    throw error
  }
  const found = /^\s*(\w+ +\w+ +\d+ +[\d:]+ +\d+) +(\S+) +(.*)$/.exec(line.trimEnd())
  if (!found || found[2]?.startsWith('Z')) return undefined
  return { startedAt: found[1], arguments: found[3] }
}

let ownMark

/** A text that names this process for good; written where others must learn whether it still lives. */
export function markOfThisProcess() {
  ownMark ??= `${process.pid} ${inspectProcess(process.pid)?.startedAt}`
  return ownMark
}

/** Whether the process that wrote the mark is still running; true also when the system cannot tell. */
export function isMarkAlive(mark) {
  return orWhenUnknown(true, () => {
    if (mark === markOfThisProcess()) return true
    const pid = Number.parseInt(mark, 10)
    const facts = pid > 0 ? inspectProcess(pid) : undefined
    return facts !== undefined && mark === `${pid} ${facts.startedAt}`
  })
}

// What is short at such moments: descriptors, memory, processes.
const shortages = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO'])

/** The answer of `look`, or `assumed` when the system is too short of something to answer. */
export function orWhenUnknown(assumed, look) {
  try {
    return look()
  } catch (error) {
    if (shortages.has(codeOf(error) ?? '')) return assumed
    throw error
  }
}
