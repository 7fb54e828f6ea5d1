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
  #free: number
  #waiting = 0
  #served = 0

  constructor(permits: number) {
    this.#free = permits
  }

  /** Number of waiting requests, of all holders. */
  get waiting(): number {
    return this.#waiting
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
    this.#grantNext()
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
