import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inspectProcess } from '@storedex/process-lock/processes'
import { ignoreErrors } from '@storedex/process-lock/system-errors'
import { type Binaries, programOptions } from './binaries.ts'
import { clusterPaths } from './cluster.ts'
import { EmbeddedPostgresError, programError } from './errors.ts'
import type { ClusterLocation } from './location.ts'

/** The contents of `postmaster.pid`; a file still being written lacks its later lines. */
export interface Postmaster {
  /** 0 when the file is empty, as a crash of the machine can leave it. */
  pid: number
  port: number
  /** Where its Unix socket lies; empty when it has none. */
  socketFolder: string
  /** starting, ready, stopping or standby; empty at the very first. */
  status: string
}

const pollMs = 10
const fastStopMs = 60_000
const immediateStopMs = 15_000
const failureWaitMs = 2_000

export function readPostmasterFile(home: string): Postmaster | undefined {
  const text = ignoreErrors(['ENOENT'], () => readFileSync(join(clusterPaths(home).data, 'postmaster.pid'), 'utf8'))
  if (text === undefined) return undefined
  const lines = text.split('\n').map((line) => line.trim())
  return {
    pid: Math.abs(Number(lines[0])) || 0,
    port: Number(lines[3]),
    socketFolder: lines[4] ?? '',
    status: lines[7] ?? '',
  }
}

/**
 * Whether the process is the server of this home: not a stranger who got the process id of a dead one, and not the server
 * of another data directory that this one is a copy of.
 */
export function isServerOf(home: string, pid: number): boolean {
  const { data } = clusterPaths(home)
  const facts = pid > 0 ? inspectProcess(pid) : undefined
  return facts !== undefined && `${facts.arguments} `.includes(` -D ${data} `)
}

/**
 * Removes a `postmaster.pid` that names a living stranger, or nobody: PostgreSQL would give up on it. One that names a
 * dead process is left to PostgreSQL, which makes sure that none of its children live before it replaces the file.
 */
export function removeMisleadingFile(home: string, pid: number): void {
  const isAlive = pid === 0 || ignoreErrors(['ESRCH', 'EPERM'], () => process.kill(pid, 0))
  if (isAlive) rmSync(join(clusterPaths(home).data, 'postmaster.pid'), { force: true })
}

interface StartRequest {
  location: ClusterLocation
  binaries: Binaries
  settings: Record<string, string>
  port: number
  timeoutMs: number
}

/**
 * Starts the server and waits until it takes connections. It leads a session of its own, so that neither Ctrl-C nor the
 * end of this process reaches it. When it ends instead of getting ready, answers what it said.
 */
export async function startPostmaster(request: StartRequest): Promise<Postmaster | { failure: string }> {
  const { location, timeoutMs } = request
  const startedAtMs = Date.now()
  const child = launch(request)
  let end: { error?: Error } | undefined
  child.on('error', (error) => {
    end = { error }
  })
  child.on('exit', () => {
    end ??= {}
  })
  for (const deadline = performance.now() + timeoutMs; ; await delay(pollMs)) {
    if (end?.error) throw programError(request.binaries.postgres, end.error)
    if (end) return { failure: await readFailure(location.home, startedAtMs) }
    const postmaster = readPostmasterFile(location.home)
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return postmaster
    if (performance.now() > deadline) {
      const cause = new Error(readRecentLog(location.home, startedAtMs))
      throw new EmbeddedPostgresError(`PostgreSQL in ${location.home} was not ready within ${timeoutMs / 1000} s.`, {
        cause,
      })
    }
  }
}

function launch({ location, binaries, settings, port }: StartRequest): ChildProcess {
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openStartLog(location.home)
  try {
    const child = spawn(binaries.postgres, ['-D', clusterPaths(location.home).data, '-p', String(port), ...args], {
      ...programOptions(location.runAs),
      detached: true,
      // No pipe of ours: the server outlives this process, and must not hold its terminal open.
      stdio: ['ignore', log, log],
    })
    child.unref()
    return child
  } finally {
    closeSync(log)
  }
}

/** The server's output before it opens its own log. A new file, so that the owner of the last one does not matter. */
function openStartLog(home: string): number {
  const path = join(home, 'start.log')
  rmSync(path, { force: true })
  return openSync(path, 'wx', 0o600)
}

/** Why the server ended. Its log's collector outlives it by a moment, in which the reason may not be written yet. */
async function readFailure(home: string, sinceMs: number): Promise<string> {
  for (const deadline = performance.now() + failureWaitMs; ; await delay(pollMs)) {
    const said = readRecentLog(home, sinceMs)
    if (/FATAL|PANIC/.test(said) || performance.now() > deadline) return said
  }
}

/** The end of what the server wrote since it was started: to us first, then to its own log. */
function readRecentLog(home: string, sinceMs: number): string {
  const logs = join(clusterPaths(home).data, 'log')
  const own = (ignoreErrors(['ENOENT'], () => readdirSync(logs)) ?? [])
    .map((name) => join(logs, name))
    .filter((path) => statSync(path).mtimeMs > sinceMs - 1_000)
  return [join(home, 'start.log'), ...own].map((path) => readFileSync(path, 'utf8').slice(-4_000)).join('')
}

/** Ends the server in order: open transactions are rolled back and a checkpoint is written; in haste if that takes too long. */
export async function stopPostmaster(home: string, pid: number): Promise<void> {
  for (const [signal, timeoutMs] of [
    ['SIGINT', fastStopMs],
    ['SIGQUIT', immediateStopMs],
  ] as const) {
    if (!isServerOf(home, pid)) return
    ignoreErrors(['ESRCH'], () => process.kill(pid, signal))
    if (await hasEnded(home, pid, timeoutMs)) return
  }
  throw new EmbeddedPostgresError(`PostgreSQL in ${home} (process ${pid}) does not stop.`)
}

/** Waits until the server is gone; answers false when it is still there after `timeoutMs`. */
async function hasEnded(home: string, pid: number, timeoutMs: number): Promise<boolean> {
  for (const deadline = performance.now() + timeoutMs; isServerOf(home, pid); await delay(pollMs)) {
    if (performance.now() > deadline) return false
  }
  return true
}
