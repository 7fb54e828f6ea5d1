import { randomUUID } from 'node:crypto'
import { isDatabaseUnavailable, violatesConstraint } from '@storedex/pg-lanes/failures'
import type { Logger } from 'pino'
import type { ConnectionPool, Pool } from '../../../foundation/db/pool.ts'
import type { GaugeSource } from '../../../foundation/http/metrics.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { clockToleranceMs } from '../../../foundation/kernel/time.ts'
import { describeCause } from '../../../foundation/runtime/logger.ts'
import { QueueRunner } from '../../../foundation/runtime/queue-runner.ts'
import { sleepUnlessStopped } from '../../../foundation/runtime/timing.ts'
import { pruneFiles } from '../expire.ts'
import type { ExportRow } from '../export-row.ts'
import * as queries from '../queries.ts'
import { failHeld, type KnownFile, type RunContext, runExport } from './run-export.ts'
import { LeaseLostError } from './write-chunk.ts'

export interface ExportTimings {
  /** How often a server looks for exports to run. */
  lookMs: number
  /** How long a server that died keeps its exports. */
  leaseMs: number
  renewMs: number
  /** How long an export runs before others have their turn. */
  sliceMs: number
  pruneMs: number
}

const defaultTimings: ExportTimings = {
  lookMs: 1_000,
  leaseMs: 6_000,
  renewMs: 1_500,
  sliceMs: 5_000,
  pruneMs: 600_000,
}

/** Exports that one server runs at once, chunk by chunk in turns. */
const maxRunning = 4
const candidatesAtOnce = 20
/** A failure that no outage explains is tried again this often. */
const maxFailures = 3
const firstBackoffMs = 1_000
const longestBackoffMs = 30_000
const longestPauseMs = 1_000

export interface ExportRunnerOptions extends Omit<RunContext, 'db'> {
  db: Pool
  log: Logger
  /** Requests that this server has answered so far. */
  requestsServed: () => number
  timings?: Partial<ExportTimings>
}

/** The share of the pool that exports use. */
export function exportLane(db: ConnectionPool): Pool {
  return db.lane('exports')
}

interface Run {
  row: ExportRow
  startedAt: number
  isLost: boolean
  ended: Promise<void>
}

interface Failures {
  count: number
  /** By the process's own time. */
  notBefore: number
}

/**
 * Runs exports, of any account and on any number of servers at once. A server takes an export with a lease, which it renews while it
 * runs; when it dies, the lease ends and another server continues. The number of the lease makes sure that a server which has lost
 * its lease without noticing writes nothing.
 *
 * Chunks of different exports alternate, and after a while an export makes room for those that wait. While requests are being
 * answered, the server rests after each chunk for as long as that took.
 */
export class ExportRunner {
  readonly #options: ExportRunnerOptions
  readonly #timings: ExportTimings
  readonly #server = randomUUID()
  readonly #runs = new Map<number, Run>()
  readonly #files = new Map<number, NonNullable<KnownFile>>()
  readonly #failures = new Map<number, Failures>()
  readonly #queue: QueueRunner
  #turns: Promise<unknown> = Promise.resolve()
  #othersWait = false
  #open = { queued: 0, running: 0 }
  readonly #totals = { rows: 0, ended: 0, failures: 0 }

  constructor(options: ExportRunnerOptions) {
    this.#options = options
    this.#timings = { ...defaultTimings, ...options.timings }
    const { lookMs, renewMs, pruneMs } = this.#timings
    this.#queue = new QueueRunner({
      log: options.log,
      take: { run: () => this.#takeWaiting(), intervalMs: lookMs, outage: 'waiting exports cannot be started' },
      upkeep: [
        {
          run: () => this.#renewLeases(),
          intervalMs: renewMs,
          outage: 'the leases of exports cannot be renewed',
        },
        {
          run: () => pruneFiles(options.db, options.clock.now()),
          intervalMs: pruneMs,
          outage: 'expired files of exports cannot be removed',
        },
      ],
    })
  }

  /** Starts a waiting export soon. */
  wake(): void {
    this.#queue.wake()
  }

  /** Lets the exports end after their chunk, and starts no others. */
  stopForClosing(): void {
    this.#queue.stop()
  }

  close(): Promise<void> {
    return this.#queue.close({ running: () => Promise.all([...this.#runs.values()].map((run) => run.ended)) })
  }

  /** The exports that wait and run on all servers as of the last look, and those that run here. */
  gauges(): GaugeSource[] {
    return [
      this.#source('queued', 'Exports that wait, on all servers.', () => this.#open.queued, 'max'),
      this.#source(
        'running',
        'Exports that have begun and not ended, on all servers.',
        () => this.#open.running,
        'max',
      ),
      this.#source('here', 'Exports that this server runs.', () => this.#runs.size),
    ]
  }

  /** For `registerCounters`: what this server has done since its start. */
  counters(): GaugeSource[] {
    return [
      this.#source('rows_total', 'Rows of exports that this server has written.', () => this.#totals.rows),
      this.#source('ended_total', 'Exports that ended on this server.', () => this.#totals.ended),
      this.#source('failures_total', 'Chunks of exports that failed on this server.', () => this.#totals.failures),
    ]
  }

  #source(name: string, help: string, read: () => number, aggregate: GaugeSource['aggregate'] = 'sum'): GaugeSource {
    return { name: `storedex_exports_${name}`, help, aggregate, read: () => [{ value: read() }] }
  }

  /** Takes as many of the waiting exports as may run here; they run on. */
  async #takeWaiting(): Promise<void> {
    const { db, clock } = this.#options
    this.#open = await queries.countOpenExports(db)
    if (this.#open.queued + this.#open.running === 0) {
      this.#othersWait = false
      return
    }
    const now = clock.now()
    const latestLease = new Date(now.getTime() + this.#timings.leaseMs + clockToleranceMs)
    const candidates = (await queries.selectClaimable(db, { now, latestLease, limit: candidatesAtOnce })).filter(
      ({ id }) => !this.#runs.has(id) && (this.#failures.get(id)?.notBefore ?? 0) <= performance.now(),
    )
    const wanted = candidates.slice(0, maxRunning - this.#runs.size)
    for (const key of wanted) await this.#take(key, now, latestLease)
    this.#othersWait = candidates.length > wanted.length
  }

  async #take(key: queries.ExportKey, now: Date, latestLease: Date): Promise<void> {
    if (this.#queue.stopping.aborted) return
    const leaseUntil = new Date(now.getTime() + this.#timings.leaseMs)
    const claim = { ...key, server: this.#server, now, leaseUntil, latestLease }
    const row = await queries.claimExport(this.#options.db, claim).catch((error) => {
      // Another server has just taken another export of this account.
      if (violatesConstraint(error, ['exports_one_running'])) return undefined
      throw error
    })
    if (!row) return
    const run: Run = { row, startedAt: performance.now(), isLost: false, ended: Promise.resolve() }
    this.#runs.set(row.id, run)
    run.ended = this.#run(run).finally(() => {
      this.#runs.delete(row.id)
      this.wake()
    })
  }

  async #run(run: Run): Promise<void> {
    const { db, clock, log } = this.#options
    const { row: claimed } = run
    try {
      const control = {
        checkLease: () => {
          if (run.isLost) throw new LeaseLostError()
        },
        takeTurn: <T>(step: () => Promise<T>) => this.#takeTurn(step),
        shouldYield: () =>
          this.#queue.stopping.aborted ||
          (this.#othersWait && performance.now() - run.startedAt > this.#timings.sliceMs),
      }
      const known = this.#files.get(claimed.id)
      this.#files.delete(claimed.id)
      const { row, file } = await runExport(this.#options, claimed, control, known)
      this.#failures.delete(claimed.id)
      this.#totals.rows += row.rows - claimed.rows
      if (row.status === 'running') {
        this.#files.set(row.id, file)
        await queries.releaseLease(db, row, clock.now())
      } else this.#totals.ended++
    } catch (error) {
      if (error instanceof LeaseLostError) return
      log.debug({ cause: describeCause(error) }, 'a step of an export failed')
      await this.#handleFailure(claimed, error).catch(() => {})
    }
  }

  /** Gives the export up for a while; one that fails again and again for no outage ends. */
  async #handleFailure(claimed: ExportRow, error: unknown): Promise<void> {
    const { db, clock, log } = this.#options
    this.#totals.failures++
    const isOutage = isDatabaseUnavailable(error) || (error instanceof Refusal && error.code === 'service_unavailable')
    if (error instanceof Refusal && error.code === 'list_not_found') {
      await failHeld(this.#options, { row: claimed }, 'list_not_found')
      return
    }
    const count = (this.#failures.get(claimed.id)?.count ?? 0) + 1
    const backoffMs = Math.min(firstBackoffMs * 2 ** (count - 1), longestBackoffMs)
    this.#failures.set(claimed.id, { count, notBefore: performance.now() + backoffMs })
    const details = { export: claimed.id, cause: describeCause(error) }
    if (isOutage) {
      if (count === 1) log.warn(details, 'an export has to wait: the database does not take its rows')
    } else if (count < maxFailures) log.error(details, 'a chunk of an export failed; it is tried again')
    else {
      log.error(details, 'an export failed')
      this.#failures.delete(claimed.id)
      await failHeld(this.#options, { row: claimed }, 'internal_error')
      return
    }
    await queries.releaseLease(db, claimed, clock.now())
  }

  /** Steps of all exports run one after the other, each export's behind those of the others. */
  #takeTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#turns.then(async () => {
      const { requestsServed } = this.#options
      const [servedBefore, startedAt] = [requestsServed(), performance.now()]
      const value = await step()
      if (requestsServed() !== servedBefore) {
        const pauseMs = Math.min(performance.now() - startedAt, longestPauseMs)
        await sleepUnlessStopped(pauseMs, this.#queue.stopping)
      }
      return value
    })
    this.#turns = result.catch(() => {})
    return result
  }

  async #renewLeases(): Promise<void> {
    const { db, clock } = this.#options
    const until = new Date(clock.now().getTime() + this.#timings.leaseMs)
    for (const run of [...this.#runs.values()]) if (!(await queries.renewLease(db, run.row, until))) run.isLost = true
  }
}
