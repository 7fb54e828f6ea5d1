import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isServerOf, readPostmasterFile } from '@storedex/embedded-postgres/postmaster'
import pg from 'pg'
import { openDatabaseServer } from '../../server/src/foundation/db/embedded.ts'

/** Processes by the files of /proc: the drill runs on Linux. */

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/** The fields of `/proc/<pid>/stat` from the third on; undefined for a process that is gone or a zombie. */
function statOf(pid: number): string[] | undefined {
  const stat = readProc(pid, 'stat')
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields && fields[0] !== 'Z' && fields[0] !== 'X' ? fields : undefined
}

export function isAlive(pid: number): boolean {
  return statOf(pid) !== undefined
}

export function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((each) => Number(statOf(each)?.[1]) === pid)
}

export function commandLineOf(pid: number): string {
  return (readProc(pid, 'cmdline') ?? '').replaceAll('\0', ' ')
}

/** Private and resident memory in MB; resident includes shared pages. 0 for a process that is gone. */
export function memoryOf(pid: number): { ownMb: number; residentMb: number } {
  const status = readProc(pid, 'status') ?? ''
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  return { ownMb: kilobytes('RssAnon') / 1024, residentMb: kilobytes('VmRSS') / 1024 }
}

/** Peak resident memory in MB. */
export function peakMemoryOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readProc(pid, 'status') ?? '')?.[1] ?? 0) / 1024
}

export function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

/** Sends a signal, unless the process is gone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Whether `condition` came true within the time. */
export async function isTrueWithin(timeoutMs: number, condition: () => unknown, pauseMs = 20): Promise<boolean> {
  for (const deadline = performance.now() + timeoutMs; ; await delay(pauseMs)) {
    if (await condition()) return true
    if (performance.now() > deadline) return false
  }
}

/** The process id of the PostgreSQL of a data directory; undefined when it is not running. */
export function postmasterOf(dataDir: string): number | undefined {
  try {
    const home = realpathSync(join(dataDir, 'postgres'))
    const pid = readPostmasterFile(home)?.pid
    return pid !== undefined && isServerOf(home, pid) ? pid : undefined
  } catch {
    return undefined
  }
}

/** All processes of a PostgreSQL, the postmaster last. */
export function postgresProcesses(postmaster: number): number[] {
  return [...childrenOf(postmaster), postmaster]
}

/** Ends a PostgreSQL that a failed scenario left running or stopped. */
export async function endPostgres(dataDir: string): Promise<void> {
  const postmaster = postmasterOf(dataDir)
  if (postmaster === undefined) return
  const processes = postgresProcesses(postmaster)
  for (const pid of processes) signal(pid, 'SIGCONT')
  signal(postmaster, 'SIGQUIT')
  if (await isTrueWithin(10_000, () => !isAlive(postmaster))) return
  for (const pid of processes) signal(pid, 'SIGKILL')
}

/** Runs statements on the embedded PostgreSQL, beside the service or without it. */
export async function withDatabase<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const postgres = await openDatabaseServer({ dataDir })
  const client = new pg.Client({ connectionString: postgres.url })
  // When a kill cuts the connection, its statement reports the error.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
    await postgres.release()
  }
}
