import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { withLock } from '@storedex/process-lock'
import { currentProcessIdentity, isProcessAlive } from '@storedex/process-lock/processes'
import { assumeOnShortage, ignoreErrors } from '@storedex/process-lock/system-errors'
import { describeErrors, EmbeddedPostgresError } from './errors.ts'
import { type ClusterLocation, giveToHomeOwner, prepareLocation } from './location.ts'
import { isServerOf, readPostmasterFile, stopPostmaster } from './postmaster.ts'
import { removeSocket } from './settings.ts'
import { type EmbeddedPostgresOptions, joinOrStart, startTimeoutMs } from './start.ts'

export { EmbeddedPostgresError, type EmbeddedPostgresOptions }

/**
 * An embedded PostgreSQL 18 that the processes of a data directory share: the first that opens it starts the server, the
 * last that releases it stops the server, and the next that opens it notices processes that died on either side.
 * Everything is decided under one lock per data directory, from the files and the running processes.
 */
export interface EmbeddedPostgres {
  /** An ordinary role that owns the database; the superuser `postgres` has the same password. */
  readonly url: string
  /** All addresses it answers at, `url` first: a Unix socket where this user can use one, and loopback. */
  readonly urls: readonly string[]
  /** Whether it was running already. */
  readonly adopted: boolean
  /** Whether the server that was opened is still there; true also when the system cannot tell. */
  isRunning(): boolean
  /** Ends this use. The last user stops the server, and has to close its own connections first. */
  release(): Promise<void>
}

const lockOptions = { timeoutMs: startTimeoutMs + 60_000, waitingFor: 'the embedded PostgreSQL' }

/** Starts, or joins, the PostgreSQL 18 that lives in `${dataDir}/postgres`. */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  return describeErrors(options.dataDir, async () => {
    const location = prepareLocation(options.dataDir, options.reachableHomes)
    return withLock(location.home, () => openUnderLock(location, options), lockOptions)
  })
}

async function openUnderLock(location: ClusterLocation, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {})
  const record = registerUse(location)
  let pid = 0
  const leave = async () => {
    if (unregisterUse(location, record)) return
    // Usually one and the same; two if the server was replaced while we were here.
    for (const each of new Set([pid, readPostmasterFile(location.home)?.pid ?? pid]))
      await stopPostmaster(location.home, each)
    removeSocket(location.home)
    log('PostgreSQL has stopped')
  }
  try {
    const { postmaster, adopted, urls } = await joinOrStart(location, options)
    pid = postmaster.pid
    log(`${adopted ? 'Joined the PostgreSQL that runs' : 'PostgreSQL has started'} on port ${postmaster.port}`)
    let leaving: Promise<void> | undefined
    const release = () => {
      leaving ??= describeErrors(options.dataDir, () =>
        // Without its directory the server has no other process to share it with.
        existsSync(location.home) ? withLock(location.home, leave, lockOptions) : stopPostmaster(location.home, pid),
      )
      return leaving
    }
    return {
      url: urls[0]!,
      urls,
      adopted,
      isRunning: () => assumeOnShortage(true, () => isServerOf(location.home, postmaster.pid)),
      release,
    }
  } catch (error) {
    // The reason why it could not be opened matters more than a failure to clean up after it.
    await leave().catch(() => {})
    throw error
  }
}

/**
 * The uses of the cluster: one symbolic link each, whose target identifies the process. Read and changed only under the
 * lock. A process that died is removed by the next one that looks.
 */
export function registerUse(location: ClusterLocation): string {
  const directory = join(location.home, 'users')
  if (mkdirSync(directory, { recursive: true, mode: 0o700 })) giveToHomeOwner(location, directory)
  const record = join(directory, `${process.pid}-${randomBytes(6).toString('hex')}`)
  symlinkSync(currentProcessIdentity(), record)
  return record
}

/** Ends one use; answers whether anybody living is left. */
export function unregisterUse(location: ClusterLocation, record: string): boolean {
  rmSync(record, { force: true })
  const directory = join(location.home, 'users')
  let anybodyLeft = false
  for (const name of ignoreErrors(['ENOENT'], () => readdirSync(directory)) ?? []) {
    if (isProcessAlive(readlinkSync(join(directory, name)))) anybodyLeft = true
    else rmSync(join(directory, name), { force: true })
  }
  return anybodyLeft
}

export interface KeepRunningOptions {
  intervalMs: number
  /** What happened, and why where that is known. */
  log: (line: string, cause?: unknown) => void
}

/** A server that cannot be started is tried again ever more seldom. */
const maxPauseMs = 60_000

/**
 * Holds a PostgreSQL for as long as this process needs it: one that died meanwhile, killed for memory or by hand, is
 * started again where it was, and connections made from then on find it.
 */
export async function keepRunning(
  open: () => Promise<EmbeddedPostgres>,
  { intervalMs, log }: KeepRunningOptions,
): Promise<Pick<EmbeddedPostgres, 'url' | 'release'>> {
  const held = [await open()]
  const { url } = held[0]!
  const stopping = new AbortController()

  const startAgain = async () => {
    log('PostgreSQL has died and is started again')
    const again = await open()
    // Opened too late for anybody to need it.
    if (stopping.signal.aborted) return again.release()
    held.push(again)
    if (!again.urls.includes(url)) log('It answers at another address now: restart Storedex to follow it')
  }
  void (async () => {
    let pauseMs = intervalMs
    while (await isTimeOver(pauseMs, stopping.signal)) {
      try {
        if (held.at(-1)!.isRunning()) continue
        await startAgain()
        pauseMs = intervalMs
      } catch (error) {
        log('PostgreSQL cannot be started again', error)
        pauseMs = Math.min(pauseMs * 2, maxPauseMs)
      }
    }
  })()
  return {
    url,
    // Does not wait for a start in progress: it gives itself back.
    release: async () => {
      stopping.abort()
      for (const each of held.splice(0)) await each.release()
    },
  }
}

/** True after the time, false at once when stopped. Does not keep the process alive. */
function isTimeOver(timeMs: number, stopped: AbortSignal): Promise<boolean> {
  return delay(timeMs, true, { signal: stopped, ref: false }).catch(() => false)
}
