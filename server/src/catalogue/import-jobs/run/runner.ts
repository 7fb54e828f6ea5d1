import { tryLock } from '@storedex/process-lock'
import type { Logger } from 'pino'
import { system } from '../../../customers/auth/actor.ts'
import { type Pool, transact } from '../../../foundation/db/pool.ts'
import type { GaugeSource } from '../../../foundation/http/metrics.ts'
import type { DataKey } from '../../../foundation/kernel/seal.ts'
import type { Clock } from '../../../foundation/kernel/time.ts'
import { describeCause } from '../../../foundation/runtime/logger.ts'
import { QueueRunner } from '../../../foundation/runtime/queue-runner.ts'
import { type RepeatingTask, startRepeating } from '../../../foundation/runtime/timing.ts'
import { auditImport } from '../context.ts'
import { removeExpiredFiles } from '../expire.ts'
import type { ImportFiles } from '../files.ts'
import type { ImportJob, ImportState, JobProgress } from '../job.ts'
import * as queries from '../queries.ts'
import { ImportRunError, type ImportTask, type ImportTaskResult, type RunningImport, type StartImport } from './task.ts'

export interface ImportRunnerOptions {
  db: Pool
  files: ImportFiles
  clock: Clock
  log: Logger
  startImport: StartImport
  /** URL of the role that owns the tables, as the command uses it. */
  databaseUrl: string
  secret: Uint8Array
  config: { dataKeys: DataKey[] | null; dataDir: string; importMaxUnpackedMb: number }
}

/** Another process with the same folder may have queued a run. */
const lookIntervalMs = 5_000
const expiryIntervalMs = 3_600_000
const progressIntervalMs = 1_000

const unexpectedSentence =
  'The import ended unexpectedly; the log of the server says why. The records before that are imported; run it again to finish.'

interface CurrentRun {
  jobId: number
  running: RunningImport
  progress: JobProgress | null
}

/**
 * Runs the imports of this server, one at a time, in the order in which they were asked for. The lock of the folder belongs to
 * the process that runs one: a process that gets it knows that any import that still counts as running has lost its process.
 */
export class ImportRunner {
  readonly #options: ImportRunnerOptions
  readonly #queue: QueueRunner
  #current: CurrentRun | null = null
  readonly #ended = { done: 0, stopped: 0, interrupted: 0, failed: 0 }

  constructor(options: ImportRunnerOptions) {
    this.#options = options
    this.#queue = new QueueRunner({
      log: options.log,
      take: {
        run: () => this.#runWaiting(),
        intervalMs: lookIntervalMs,
        outage: 'waiting imports cannot be started',
      },
      upkeep: [
        {
          run: () => removeExpiredFiles(options),
          intervalMs: expiryIntervalMs,
          outage: 'old files of imports cannot be removed',
        },
      ],
    })
  }

  /** Starts a waiting run soon. */
  wake(): void {
    this.#queue.wake()
  }

  gauges(): GaugeSource[] {
    return [
      {
        name: 'storedex_imports_running',
        help: 'Imports and checks of the console that this server runs.',
        read: () => [{ value: this.#current === null ? 0 : 1 }],
      },
    ]
  }

  /** For `registerCounters`: what this server has done since its start. */
  counters(): GaugeSource[] {
    return [
      {
        name: 'storedex_imports_ended_total',
        help: 'Imports and checks of the console that ended on this server.',
        labelNames: ['outcome'],
        read: () => Object.entries(this.#ended).map(([outcome, value]) => ({ labels: { outcome }, value })),
      },
    ]
  }

  /** Ends the run of an import after its current chunk, if this process runs it; another process sees it in the row. */
  stop(jobId: number): void {
    if (this.#current?.jobId === jobId) this.#current.running.stop()
  }

  /** The progress of a run of this process, newer than that in its row. */
  progressOf(jobId: number): JobProgress | null {
    return this.#current?.jobId === jobId ? this.#current.progress : null
  }

  /** Lets the current run end after its chunk, and starts no other one. */
  stopForClosing(): void {
    this.#queue.stop()
    this.#current?.running.stop()
  }

  /** Ends the current run, which can be run again after the next start. */
  close(): Promise<void> {
    this.stopForClosing()
    return this.#queue.close({ kill: async () => this.#current?.running.kill() })
  }

  get #isClosing(): boolean {
    return this.#queue.stopping.aborted
  }

  /** Runs all that waits, one after the other. */
  async #runWaiting(): Promise<void> {
    const { db, files, clock, log } = this.#options
    if (!files.exist) return
    const lock = tryLock(files.root)
    if ('holder' in lock) return
    try {
      const server = await files.serverId()
      const lost = await queries.markInterruptedRuns(db, server, clock.now())
      if (lost > 0) log.warn({ imports: lost }, 'imports were interrupted; the console offers to run them again')
      while (!this.#isClosing) {
        const job = await queries.claimWaitingRun(db, server, clock.now())
        if (!job) return
        await this.#run(job)
      }
    } finally {
      lock.release()
    }
  }

  async #run(job: ImportJob): Promise<void> {
    const { files, log, startImport, databaseUrl, secret, config } = this.#options
    let writer: RepeatingTask | null = null
    try {
      const task: ImportTask = {
        databaseUrl,
        secret,
        dataKeys: config.dataKeys,
        dataDir: config.dataDir,
        importMaxUnpackedMb: config.importMaxUnpackedMb,
        kind: job.kind,
        run: job.run!,
        options: { ...job.options, map: await files.readMapping(job.id) },
        file: files.sourceOf(job),
        fileName: job.fileName,
      }
      const current: CurrentRun = {
        jobId: job.id,
        progress: null,
        running: startImport(task, (progress) => {
          current.progress = progress
        }),
      }
      this.#current = current
      if (this.#isClosing) current.running.stop()
      writer = this.#writeProgress(current)
      const result = await current.running.result
      await writer.stop()
      const outcome = !result.stopped ? 'done' : this.#isClosing ? 'interrupted' : 'stopped'
      await this.#end(job, outcome, { result, error: null })
    } catch (error) {
      await writer?.stop()
      if (this.#isClosing) return this.#end(job, 'interrupted', { result: null, error: null })
      const isForeseen = error instanceof ImportRunError
      const cause = isForeseen ? error.cause : error
      if (cause) log.error({ import: job.id, cause: describeCause(cause) }, 'an import of the console failed')
      const sentence = isForeseen ? error.message : unexpectedSentence
      await this.#end(job, 'failed', { result: null, error: sentence })
    } finally {
      this.#current = null
    }
  }

  #writeProgress(current: CurrentRun): RepeatingTask {
    let written: JobProgress | null = null
    const write = async () => {
      if (!current.progress || current.progress === written) return
      written = current.progress
      const isStopWanted = await queries.updateImportProgress(this.#options.db, current.jobId, written)
      if (isStopWanted) current.running.stop()
    }
    // The run itself finds out that the database is away.
    return startRepeating(write, { intervalMs: progressIntervalMs, onOutage: () => {} })
  }

  async #end(
    job: ImportJob,
    outcome: ImportOutcome,
    { result, error }: { result: ImportTaskResult | null; error: string | null },
  ): Promise<void> {
    const { db, clock, files } = this.#options
    const at = clock.now()
    const state = endStateOf(job, outcome)
    // A check that was stopped knows only a part of the file.
    const report = job.run === 'check' && result?.stopped ? null : (result?.report ?? null)
    await transact(db, async (client) => {
      const ended = { id: job.id, state, report, rejects: result?.rejects ?? null, hasRun: result !== null, error, at }
      if (!(await queries.endImportRun(client, ended)) || job.run === 'check') return
      const details = { state, ...(report && countsOf(report.parts)) }
      await auditImport({ actor: system, now: at }, client, 'ended', job, details)
    })
    this.#ended[outcome]++
    if (state !== 'done' || report!.parts.some(({ rejected }) => rejected > 0)) return
    // Nothing of it will be needed again.
    await queries.markFilesRemoved(db, { id: job.id, source: true, rejects: false, error: null, at })
    await files.remove(job, { source: true, rejects: false })
  }
}

type ImportOutcome = ImportState & ('done' | 'stopped' | 'interrupted' | 'failed')

/** However a check ends, its file can be checked or imported after it. */
function endStateOf({ run }: ImportJob, ofImport: ImportState): ImportState {
  return run === 'check' ? 'ready' : ofImport
}

function countsOf(parts: ImportTaskResult['report']['parts']): Record<string, number> {
  const sum = (name: 'read' | 'inserted' | 'updated' | 'rejected') =>
    parts.reduce((total, part) => total + part[name], 0)
  return { read: sum('read'), inserted: sum('inserted'), updated: sum('updated'), rejected: sum('rejected') }
}
