import { withTimeout } from '@storedex/work'
import type { Logger } from 'pino'
import { describeCause } from './logger.ts'
import { type RepeatingTask, startRepeating } from './timing.ts'

/** Work that runs at intervals. `outage` is the log line for the first of consecutive failures. */
interface PeriodicWork {
  run: () => Promise<unknown>
  intervalMs: number
  outage: string
}

interface QueueRunnerOptions {
  log: Logger
  /** Takes what waits in the queue. It may return while that still runs. */
  take: PeriodicWork
  upkeep: readonly PeriodicWork[]
}

/** A step of a job takes far less. */
const stopTimeoutMs = 8_000

/**
 * Looks for jobs that wait in a table, at intervals and whenever it is woken. One look runs at a time; a wake during a look
 * makes it look once more. Closing waits for the jobs, and no longer than a bound.
 */
export class QueueRunner {
  readonly #take: () => Promise<unknown>
  readonly #stopping = new AbortController()
  readonly #tasks: RepeatingTask[]
  #looking: Promise<void> | null = null
  #isWokenAgain = false

  constructor({ log, take, upkeep }: QueueRunnerOptions) {
    this.#take = take.run
    const look: PeriodicWork = { ...take, run: () => this.#look() }
    this.#tasks = [look, ...upkeep].map(({ run, intervalMs, outage }) =>
      startRepeating(run, { intervalMs, onOutage: (error) => log.warn({ cause: describeCause(error) }, outage) }),
    )
  }

  /** Aborts when the service closes: a job ends after its current step, and no other one starts. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Looks soon. */
  wake(): void {
    // The next look reports what fails.
    this.#look().catch(() => {})
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Stops, waits a bounded time for the look and for `running` jobs, then ends what still runs by `kill`. */
  async close({
    running = async () => {},
    kill = async () => {},
  }: {
    running?: () => Promise<unknown>
    kill?: () => Promise<unknown>
  } = {}): Promise<void> {
    this.stop()
    const stopped = this.#tasks.map((task) => task.stop())
    const ended = async () => {
      await this.#looking?.catch(() => {})
      await running()
    }
    await withTimeout(ended(), stopTimeoutMs, () => {})
    await kill()
    await Promise.all(stopped)
    await this.#looking?.catch(() => {})
  }

  #look(): Promise<void> {
    if (this.#looking) {
      this.#isWokenAgain = true
      return this.#looking
    }
    this.#looking = this.#takeAll().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #takeAll(): Promise<void> {
    do {
      this.#isWokenAgain = false
      if (this.stopping.aborted) return
      await this.#take()
    } while (this.#isWokenAgain)
  }
}
