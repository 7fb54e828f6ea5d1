/** A request for a permit that could not be granted at once. */
export interface Waiter {
  /** Called once, when the permit is granted; it must be released like any other. */
  grant(): void
}

/** The holder that permits are counted for, such as an account. */
export interface PermitHolder {
  name: string
  /** Maximum number of permits it may hold. A maximum below the total leaves one free for the next holder. */
  maxPermits: number
}

/** The reason why work is not run: too much of it waits, it has waited for too long, or it was abandoned. */
export type RefusedBecause = 'full' | 'late' | 'canceled'

/** Bounds of what `run` accepts; without one, work waits for as long as it takes. */
export interface FairQueueBounds {
  /** Maximum number of waiting requests, of all holders. */
  maxWaiting?: number
  /** Maximum number of one holder's requests that run or wait. */
  maxPerHolder?: number
  maxWaitMs?: number
  /** The error that `run` rejects with. */
  refuse?: (reason: RefusedBecause) => Error
}

interface HolderQueue {
  readonly maxPermits: number
  running: number
  /** Increases over all holders; 0 for one that was never served. */
  lastServed: number
  /** Waiters of work that has begun, which go first, and of new work. */
  readonly begun: Set<Waiter>
  readonly fresh: Set<Waiter>
}

function newHolderQueue({ maxPermits }: PermitHolder): HolderQueue {
  return { maxPermits, running: 0, lastServed: 0, begun: new Set(), fresh: new Set() }
}

/**
 * A semaphore with a queue that is fair between holders instead of between requests: a released permit goes to the
 * holder with the fewest, and among equals to the one served least recently. So a holder with one request waits for at
 * most one release, however many requests others have queued. Within a holder, work that has begun comes before new
 * work, so that under overload some work finishes instead of all of it being late.
 */
export class FairQueue {
  readonly #queues = new Map<string, HolderQueue>()
  readonly #bounds: FairQueueBounds
  #free: number
  #waiting = 0
  #served = 0

  constructor(permits: number, bounds: FairQueueBounds = {}) {
    this.#free = permits
    this.#bounds = bounds
  }

  /** Number of waiting requests, of all holders. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Runs `work` with a permit: at once if one is free for this holder, otherwise in its turn. Work that is canceled while it
   * waits leaves the queue. Rejects with what `refuse` returns.
   */
  async run<T>(holder: PermitHolder, work: () => Promise<T>, signal: AbortSignal | null = null): Promise<T> {
    const { maxPerHolder = Number.POSITIVE_INFINITY } = this.#bounds
    if (this.#countOf(holder) >= maxPerHolder) throw this.#refuse('full')
    if (signal?.aborted) throw this.#refuse('canceled')
    if (!this.tryAcquire(holder)) await this.#wait(holder, signal)
    try {
      return await work()
    } finally {
      this.release(holder)
    }
  }

  /** Takes a permit if one is free for this holder and none of its requests is waiting. */
  tryAcquire(holder: PermitHolder): boolean {
    const queue = this.#queues.get(holder.name)
    if (this.#free === 0 || (queue && (hasWaiters(queue) || queue.running >= queue.maxPermits))) return false
    this.#start(holder.name, queue ?? newHolderQueue(holder))
    return true
  }

  /**
   * Adds a waiter behind the holder's earlier ones; `hasBegun` selects which. Call only after `tryAcquire` returned
   * false.
   */
  enqueue(holder: PermitHolder, waiter: Waiter, hasBegun = false): void {
    const queue = this.#queues.get(holder.name) ?? newHolderQueue(holder)
    this.#queues.set(holder.name, queue)
    queue[hasBegun ? 'begun' : 'fresh'].add(waiter)
    this.#waiting++
  }

  /** Removes a waiter. Returns false when its permit was already granted. */
  cancel({ name }: PermitHolder, waiter: Waiter): boolean {
    const queue = this.#queues.get(name)
    if (!queue || !(queue.begun.delete(waiter) || queue.fresh.delete(waiter))) return false
    this.#waiting--
    this.#removeIdle(name, queue)
    return true
  }

  release({ name }: PermitHolder): void {
    const queue = this.#queues.get(name)!
    queue.running--
    this.#free++
    this.#removeIdle(name, queue)
    if (this.#waiting > 0) this.#grantNext()
  }

  #wait(holder: PermitHolder, signal: AbortSignal | null): Promise<void> {
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitMs } = this.#bounds
    if (this.#waiting >= maxWaiting) throw this.#refuse('full')
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      const waiter = {
        grant: () => {
          settle()
          resolve()
        },
      }
      const giveUp = (reason: RefusedBecause) => {
        settle()
        this.cancel(holder, waiter)
        reject(this.#refuse(reason))
      }
      const leave = () => giveUp('canceled')
      if (maxWaitMs !== undefined) timer = setTimeout(giveUp, maxWaitMs, 'late')
      signal?.addEventListener('abort', leave)
      this.enqueue(holder, waiter)
    })
  }

  #refuse(reason: RefusedBecause): Error {
    return this.#bounds.refuse?.(reason) ?? new Error(`no permit was granted: ${reason}`)
  }

  #countOf({ name }: PermitHolder): number {
    const queue = this.#queues.get(name)
    return queue ? queue.running + queue.begun.size + queue.fresh.size : 0
  }

  #grantNext(): void {
    let chosen: [string, HolderQueue] | undefined
    for (const entry of this.#queues) {
      const [, queue] = entry
      if (!hasWaiters(queue) || queue.running >= queue.maxPermits) continue
      if (!chosen || comesBefore(queue, chosen[1])) chosen = entry
    }
    if (!chosen) return
    const [name, queue] = chosen
    const waiters = queue.begun.size > 0 ? queue.begun : queue.fresh
    const [waiter] = waiters
    waiters.delete(waiter!)
    this.#waiting--
    this.#start(name, queue)
    waiter!.grant()
  }

  #start(name: string, queue: HolderQueue): void {
    queue.running++
    queue.lastServed = ++this.#served
    this.#free--
    this.#queues.set(name, queue)
  }

  #removeIdle(name: string, queue: HolderQueue): void {
    if (queue.running === 0 && !hasWaiters(queue)) this.#queues.delete(name)
  }
}

function comesBefore(one: HolderQueue, other: HolderQueue): boolean {
  return one.running === other.running ? one.lastServed < other.lastServed : one.running < other.running
}

function hasWaiters({ begun, fresh }: HolderQueue): boolean {
  return begun.size > 0 || fresh.size > 0
}
