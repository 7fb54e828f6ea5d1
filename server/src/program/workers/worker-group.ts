import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { GaugeSource } from '../../foundation/http/metrics.ts'
import { describeCause } from '../../foundation/runtime/logger.ts'
import { sleepUnlessStopped } from '../../foundation/runtime/timing.ts'
import { EndedWorkers } from './figures.ts'
import type { WorkerProgram } from './program.ts'
import type { ProcessMetrics, WorkerAssignment, WorkerState } from './protocol.ts'
import { WorkerProcess } from './worker-process.ts'

const pollMs = 50
/** How long a worker may take until its search is as good as that of the others. */
const readyTimeoutMs = { start: 15_000, replacement: 60_000, restart: 600_000 }
/** Longer than idle connections live and running requests take. */
const handOverTimeoutMs = 110_000
/** Longer than a worker's own timeouts. */
const stopTimeoutMs = 45_000
const firstBackoffMs = 250
const longestBackoffMs = 30_000
/** A worker that ran this long resets the backoff. */
const steadyMs = 60_000

export interface WorkerGroupOptions {
  log: Logger
  program: WorkerProgram
  /** The assignment that all workers share. */
  assignment: Omit<WorkerAssignment, 'number'>
}

/** The place of one worker, which a replacement takes over. */
interface Slot {
  number: number
  current: WorkerProcess | null
  /** Ends in a row soon after a start. */
  quickEnds: number
  isRestarting: boolean
}

/** Keeps a number of workers running until it is stopped. */
export class WorkerGroup {
  readonly #log: Logger
  readonly #assignment: WorkerGroupOptions['assignment']
  readonly #slots: Slot[]
  /** Every process that has not ended. */
  readonly #alive = new Set<WorkerProcess>()
  readonly #stopping = new AbortController()
  readonly #endedWorkers = new EndedWorkers()
  #program: WorkerProgram
  #replaced = 0
  #restarting: Promise<void> | null = null
  #isRestartWanted = false

  constructor({ log, program, assignment }: WorkerGroupOptions) {
    this.#log = log
    this.#program = program
    this.#assignment = assignment
    this.#slots = Array.from({ length: assignment.workers }, (_, index) => ({
      ...{ number: index + 1, current: null, quickEnds: 0, isRestarting: false },
    }))
  }

  /**
   * Starts all workers. The first one takes connections at once; the others start when its search index can be read from a
   * snapshot, or soon. Throws a `WorkerStartError` if one cannot start; `stop` then ends the others.
   */
  async start(): Promise<void> {
    const [first, ...others] = this.#slots
    const leader = await this.#bringUp(first!, this.#program, { timeoutMs: 0 })
    if (others.length > 0) await waitUntil(readyTimeoutMs.start, async () => hasIndex(await leader.ask('state')))
    await Promise.all(others.map((slot) => this.#bringUp(slot, this.#program, { timeoutMs: readyTimeoutMs.start })))
  }

  /**
   * Replaces all workers, one after the other: a new one takes connections when its search is as good as that of the others,
   * and then the old one hands over. When a new one cannot start, the rest stay as they are.
   */
  restart(findProgram: () => Promise<WorkerProgram>): Promise<void> {
    this.#isRestartWanted = true
    this.#restarting ??= this.#restartWhileWanted(findProgram).finally(() => {
      this.#restarting = null
    })
    return this.#restarting
  }

  /** Ends all workers in order. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#alive].map((worker) => worker.stop(stopTimeoutMs)))
  }

  /** Ends all workers at once, in the middle of what they do. */
  kill(): void {
    this.#stopping.abort()
    for (const worker of this.#alive) worker.kill()
  }

  async formatFigures(own: ProcessMetrics): Promise<string> {
    const figures = await Promise.all([...this.#alive].map((worker) => worker.readFigures()))
    return this.#endedWorkers.format([own, ...figures])
  }

  gauges(): GaugeSource[] {
    const count = (name: string, help: string, read: () => number): GaugeSource => ({
      ...{ name: `storedex_workers${name}`, help },
      read: () => [{ value: read() }],
    })
    return [
      count('', 'Workers that take connections.', () => this.#serving().length),
      count('_wanted', 'Workers that the service was started with.', () => this.#slots.length),
    ]
  }

  counters(): GaugeSource[] {
    const read = () => [{ value: this.#replaced }]
    return [{ name: 'storedex_workers_died_total', help: 'Workers that ended unasked and were replaced.', read }]
  }

  #serving(): WorkerProcess[] {
    return this.#slots.flatMap(({ current }) => (current && !current.isEnding ? [current] : []))
  }

  /** Starts a worker for a slot and lets it take connections when it is as good as the others, or after the time. */
  async #bringUp(
    slot: Slot,
    program: WorkerProgram,
    { timeoutMs, mustBeReady = false }: { timeoutMs: number; mustBeReady?: boolean },
  ): Promise<WorkerProcess> {
    this.#stopping.signal.throwIfAborted()
    const worker = new WorkerProcess({ ...this.#assignment, number: slot.number }, program)
    this.#alive.add(worker)
    void worker.ended.then((cause) => this.#handleEnd(slot, worker, cause))
    await worker.opened()
    const wanted = await this.#serving()[0]?.ask('state')
    const isReady = await waitUntil(timeoutMs, async () => isAsGoodAs(await worker.ask('state'), wanted))
    if (mustBeReady && !isReady) {
      await worker.stop(stopTimeoutMs)
      throw new Error(`worker ${slot.number} was not ready after ${timeoutMs / 1_000} s`)
    }
    await worker.listen()
    const old = slot.current
    slot.current = worker
    old?.handOver()
    return worker
  }

  async #handleEnd(slot: Slot, worker: WorkerProcess, cause: string): Promise<void> {
    this.#alive.delete(worker)
    await this.#endedWorkers.add(worker.figures)
    if (slot.current !== worker) return
    slot.current = null
    if (this.#stopping.signal.aborted) return
    this.#replaced++
    const { pid, failure } = worker
    this.#log.error({ worker: slot.number, pid, cause, ...(failure && { failure }) }, 'a worker died; it is replaced')
    const isSteady = performance.now() - worker.startedAt >= steadyMs
    slot.quickEnds = isSteady ? 1 : slot.quickEnds + 1
    if (!slot.isRestarting) await this.#replace(slot)
  }

  /** Starts a worker for an empty slot, again and again with backoff. */
  async #replace(slot: Slot): Promise<void> {
    const { signal } = this.#stopping
    while (await sleepUnlessStopped(backoffAfter(slot.quickEnds), signal)) {
      if (slot.current || slot.isRestarting) return
      try {
        const { pid } = await this.#bringUp(slot, this.#program, { timeoutMs: readyTimeoutMs.replacement })
        this.#log.info({ worker: slot.number, pid }, 'a worker was replaced')
        return
      } catch (error) {
        if (signal.aborted) return
        slot.quickEnds++
        this.#log.error(
          { worker: slot.number, cause: describeCause(error) },
          'a worker cannot be started; trying again',
        )
      }
    }
  }

  async #restartWhileWanted(findProgram: () => Promise<WorkerProgram>): Promise<void> {
    while (this.#isRestartWanted && !this.#stopping.signal.aborted) {
      this.#isRestartWanted = false
      try {
        this.#log.info('the workers are replaced one by one')
        const program = await findProgram()
        for (const slot of this.#slots) await this.#restartSlot(slot, program)
        this.#log.info('all workers were replaced')
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        this.#log.error(
          { cause: describeCause(error) },
          'the workers were not all replaced; the others stay as they are',
        )
      }
    }
  }

  async #restartSlot(slot: Slot, program: WorkerProgram): Promise<void> {
    const old = slot.current
    slot.isRestarting = true
    try {
      await this.#bringUp(slot, program, { timeoutMs: readyTimeoutMs.restart, mustBeReady: true })
      this.#program = program
      slot.quickEnds = 0
    } finally {
      slot.isRestarting = false
      // The old one may have died meanwhile.
      if (!slot.current) void this.#replace(slot)
    }
    await old?.endsWithin(handOverTimeoutMs)
  }
}

function backoffAfter(quickEnds: number): number {
  return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.max(0, quickEnds - 1))
}

/** Whether a worker would answer as one of the others does: from its index, not behind theirs. */
function isAsGoodAs(state: WorkerState | undefined, wanted: WorkerState | undefined): boolean {
  if (!state?.isReady) return false
  if (wanted?.engine !== 'memory') return true
  return state.engine === 'memory' && (state.batch ?? 0) >= (wanted.batch ?? 0)
}

function hasIndex(state: WorkerState | undefined): boolean {
  return state?.engine === 'memory' && state.hasSnapshot
}

/** Returns if `check` became true in time; it runs at least once. */
async function waitUntil(timeoutMs: number, check: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + timeoutMs
  for (;;) {
    if (await check()) return true
    if (performance.now() >= end) return false
    await delay(pollMs)
  }
}
