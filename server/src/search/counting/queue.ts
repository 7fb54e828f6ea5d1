import { FairQueue, type RefusedBecause } from '@storedex/work'
import { Refusal } from '../../foundation/kernel/errors.ts'

export interface CountQueueLimits {
  /** How many counts run at once. */
  permits: number
  /** How long a count waits for its turn. */
  maxWaitMs: number
  /** How many counts of one account run or wait. */
  maxPerHolder: number
}

/** Gives counts their turn, fairly between accounts; refuses those that would wait too long. */
export class CountQueue {
  readonly #queue: FairQueue
  readonly #maxPermits: number

  constructor({ permits, maxWaitMs, maxPerHolder }: CountQueueLimits) {
    this.#maxPermits = Math.max(1, permits - 1)
    const causes: Record<Exclude<RefusedBecause, 'canceled'>, string> = {
      full: `${maxPerHolder} counts of the account run or wait`,
      late: `a count waited for ${maxWaitMs} ms`,
    }
    const refuse = (reason: RefusedBecause) => (reason === 'canceled' ? canceled() : busy(causes[reason]))
    this.#queue = new FairQueue(permits, { maxPerHolder, maxWaitMs, refuse })
  }

  /** Runs `work` when it is its turn. */
  run<T>(holder: string, signal: AbortSignal | null, work: () => Promise<T>): Promise<T> {
    return this.#queue.run({ name: holder, maxPermits: this.#maxPermits }, work, signal)
  }
}

function busy(cause: string): Refusal {
  return new Refusal('service_unavailable', 'Too many counts are running; try again in a moment.', {
    cause: new Error(cause),
  })
}

/** Not sent: the caller has left. */
export function canceled(): Refusal {
  return new Refusal('service_unavailable', 'The count was canceled.')
}
