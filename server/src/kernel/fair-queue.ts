/** A request for a permit that could not be granted at once. */
export interface Waiter {
  /** Called once, when the permit is this waiter's; it must be given back like any other. */
  grant(): void
}

interface Lane {
  running: number
  /** Counts up over all lanes; 0 for one that was never served. */
  lastServed: number
  /** Of work that has begun, and of new work: what has begun goes first. */
  readonly begun: Set<Waiter>
  readonly fresh: Set<Waiter>
}

function newLane(): Lane {
  return { running: 0, lastServed: 0, begun: new Set(), fresh: new Set() }
}

export interface FairQueueOptions {
  permits: number
  /** How many permits one holder may have at once. Fewer than all leave one free for whoever comes next. */
  permitsPerHolder: number
}

/**
 * A semaphore that is fair between holders instead of between requests: a permit that comes free goes to the holder who
 * has the fewest, and among equals to the one served least recently. So a holder with one request waits for at most one
 * permit, however many requests others have queued. Within a holder, work that has begun comes before new work, so that
 * under overload some of it is finished instead of all of it being late.
 */
export class FairQueue {
  readonly #permitsPerHolder: number
  readonly #lanes = new Map<string, Lane>()
  #free: number
  #waiting = 0
  #served = 0

  constructor({ permits, permitsPerHolder }: FairQueueOptions) {
    this.#free = permits
    this.#permitsPerHolder = permitsPerHolder
  }

  /** Requests without a permit, of all holders. */
  get waiting(): number {
    return this.#waiting
  }

  /** Takes a permit if one is free for this holder and nobody of the same holder waits for it. */
  tryTake(holder: string): boolean {
    const lane = this.#lanes.get(holder)
    if (this.#free === 0 || (lane && (isWaitedFor(lane) || lane.running >= this.#permitsPerHolder))) return false
    this.#start(holder, lane ?? newLane())
    return true
  }

  /** Waits behind the holder's earlier requests; `hasBegun` says which of them. Only after `tryTake` said no. */
  enqueue(holder: string, waiter: Waiter, hasBegun = false): void {
    const lane = this.#lanes.get(holder) ?? newLane()
    this.#lanes.set(holder, lane)
    lane[hasBegun ? 'begun' : 'fresh'].add(waiter)
    this.#waiting++
  }

  /** Gives up waiting. False when the permit was granted already. */
  cancel(holder: string, waiter: Waiter): boolean {
    const lane = this.#lanes.get(holder)
    if (!lane || !(lane.begun.delete(waiter) || lane.fresh.delete(waiter))) return false
    this.#waiting--
    this.#forgetIdle(holder, lane)
    return true
  }

  giveBack(holder: string): void {
    const lane = this.#lanes.get(holder)!
    lane.running--
    this.#free++
    this.#forgetIdle(holder, lane)
    this.#grantNext()
  }

  #grantNext(): void {
    let chosen: [string, Lane] | undefined
    for (const entry of this.#lanes) {
      const [, lane] = entry
      if (!isWaitedFor(lane) || lane.running >= this.#permitsPerHolder) continue
      if (!chosen || comesBefore(lane, chosen[1])) chosen = entry
    }
    if (!chosen) return
    const [holder, lane] = chosen
    const queue = lane.begun.size > 0 ? lane.begun : lane.fresh
    const [waiter] = queue
    queue.delete(waiter!)
    this.#waiting--
    this.#start(holder, lane)
    waiter!.grant()
  }

  #start(holder: string, lane: Lane): void {
    lane.running++
    lane.lastServed = ++this.#served
    this.#free--
    this.#lanes.set(holder, lane)
  }

  #forgetIdle(holder: string, lane: Lane): void {
    if (lane.running === 0 && !isWaitedFor(lane)) this.#lanes.delete(holder)
  }
}

function comesBefore(one: Lane, other: Lane): boolean {
  return one.running === other.running ? one.lastServed < other.lastServed : one.running < other.running
}

function isWaitedFor({ begun, fresh }: Lane): boolean {
  return begun.size > 0 || fresh.size > 0
}
