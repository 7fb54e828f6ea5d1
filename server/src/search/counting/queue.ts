import { FairQueue, type PermitHolder, type Waiter } from '@storedex/work'
import { ApiError } from '../../kernel/errors.ts'

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
  readonly #limits: CountQueueLimits
  readonly #present = new Map<string, number>()

  constructor(limits: CountQueueLimits) {
    this.#limits = limits
    this.#queue = new FairQueue(limits.permits)
  }

  /** Runs `work` when it is its turn. */
  async run<T>(holder: string, signal: AbortSignal | null, work: () => Promise<T>): Promise<T> {
    const present = this.#present.get(holder) ?? 0
    if (present >= this.#limits.maxPerHolder) throw busy(`${present} counts of the account run or wait`)
    this.#present.set(holder, present + 1)
    try {
      const permitHolder = { name: holder, maxPermits: Math.max(1, this.#limits.permits - 1) }
      await this.#acquire(permitHolder, signal)
      try {
        return await work()
      } finally {
        this.#queue.release(permitHolder)
      }
    } finally {
      const left = this.#present.get(holder)! - 1
      if (left > 0) this.#present.set(holder, left)
      else this.#present.delete(holder)
    }
  }

  #acquire(holder: PermitHolder, signal: AbortSignal | null): Promise<void> {
    if (signal?.aborted) throw canceled()
    if (this.#queue.tryAcquire(holder)) return Promise.resolve()
    return new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        grant: () => {
          settle()
          resolve()
        },
      }
      const giveUp = (error: ApiError) => {
        if (!this.#queue.cancel(holder, waiter)) return
        settle()
        reject(error)
      }
      const leave = () => giveUp(canceled())
      const { maxWaitMs } = this.#limits
      const timer = setTimeout(() => giveUp(busy(`a count waited for ${maxWaitMs} ms`)), maxWaitMs)
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      signal?.addEventListener('abort', leave)
      this.#queue.enqueue(holder, waiter)
    })
  }
}

function busy(cause: string): ApiError {
  return new ApiError('service_unavailable', 'Too many counts are running; try again in a moment.', {
    cause: new Error(cause),
  })
}

/** Nobody reads this error: the caller has left. */
export function canceled(): ApiError {
  return new ApiError('service_unavailable', 'The count was canceled.')
}
