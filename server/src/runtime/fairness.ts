/** A request for a permit that could not be granted at once. */
export interface Waiter {
  /** Called once, when the permit is this waiter's; it must be given back like any other. */
  grant(): void
}

/** For whom permits are asked. */
export interface PermitHolder {
  name: string
  /** How many permits it may have at once. Fewer than all leave one free for the next to come. */
  maxPermits: number
}

interface Lane {
  readonly maxPermits: number
  running: number
  /** Counts up over all lanes; 0 for one that was never served. */
  lastServed: number
  /** Of work that has begun, and of new work: what has begun goes first. */
  readonly begun: Set<Waiter>
  readonly fresh: Set<Waiter>
}

function newLane({ maxPermits }: PermitHolder): Lane {
  return { maxPermits, running: 0, lastServed: 0, begun: new Set(), fresh: new Set() }
}

/**
 * A semaphore that is fair between holders instead of between requests: a permit that comes free goes to the holder who
 * has the fewest, and among equals to the one served least recently. So a holder with one request waits for at most one
 * permit, however many requests others have queued. Within a holder, work that has begun comes before new work, so that
 * under overload some of it is finished instead of all of it being late.
 */
export class FairQueue {
  readonly #lanes = new Map<string, Lane>()
  #free: number
  #waiting = 0
  #served = 0

  constructor(permits: number) {
    this.#free = permits
  }

  /** Requests without a permit, of all holders. */
  get waiting(): number {
    return this.#waiting
  }

  /** Takes a permit if one is free for this holder and nobody of the same holder waits for it. */
  tryAcquire(holder: PermitHolder): boolean {
    const lane = this.#lanes.get(holder.name)
    if (this.#free === 0 || (lane && (isWaitedFor(lane) || lane.running >= lane.maxPermits))) return false
    this.#start(holder.name, lane ?? newLane(holder))
    return true
  }

  /** Waits behind the holder's earlier requests; `hasBegun` says which of them. Only after `tryTake` said no. */
  enqueue(holder: PermitHolder, waiter: Waiter, hasBegun = false): void {
    const lane = this.#lanes.get(holder.name) ?? newLane(holder)
    this.#lanes.set(holder.name, lane)
    lane[hasBegun ? 'begun' : 'fresh'].add(waiter)
    this.#waiting++
  }

  /** Gives up waiting. False when the permit was granted already. */
  cancel({ name }: PermitHolder, waiter: Waiter): boolean {
    const lane = this.#lanes.get(name)
    if (!lane || !(lane.begun.delete(waiter) || lane.fresh.delete(waiter))) return false
    this.#waiting--
    this.#forgetIdle(name, lane)
    return true
  }

  release({ name }: PermitHolder): void {
    const lane = this.#lanes.get(name)!
    lane.running--
    this.#free++
    this.#forgetIdle(name, lane)
    this.#grantNext()
  }

  #grantNext(): void {
    let chosen: [string, Lane] | undefined
    for (const entry of this.#lanes) {
      const [, lane] = entry
      if (!isWaitedFor(lane) || lane.running >= lane.maxPermits) continue
      if (!chosen || comesBefore(lane, chosen[1])) chosen = entry
    }
    if (!chosen) return
    const [name, lane] = chosen
    const queue = lane.begun.size > 0 ? lane.begun : lane.fresh
    const [waiter] = queue
    queue.delete(waiter!)
    this.#waiting--
    this.#start(name, lane)
    waiter!.grant()
  }

  #start(name: string, lane: Lane): void {
    lane.running++
    lane.lastServed = ++this.#served
    this.#free--
    this.#lanes.set(name, lane)
  }

  #forgetIdle(name: string, lane: Lane): void {
    if (lane.running === 0 && !isWaitedFor(lane)) this.#lanes.delete(name)
  }
}

function comesBefore(one: Lane, other: Lane): boolean {
  return one.running === other.running ? one.lastServed < other.lastServed : one.running < other.running
}

function isWaitedFor({ begun, fresh }: Lane): boolean {
  return begun.size > 0 || fresh.size > 0
}

/**
 * A bound on how much is at work at once, shared out fairly: whoever asks for a place gets one while they hold fewer than are
 * still free. So one holder alone takes half of all, two take a third each, and a newcomer finds room however greedy the
 * others are.
 */
export class FairSemaphore {
  readonly #places: number
  readonly #heldBy = new Map<string, number>()
  #held = 0

  constructor(places: number) {
    this.#places = places
  }

  get held(): number {
    return this.#held
  }

  /** Gives the place back, however often it is called; null when there is none to take. */
  tryAcquire(holder: string): (() => void) | null {
    const own = this.#heldBy.get(holder) ?? 0
    if (own >= this.#places - this.#held) return null
    this.#held++
    this.#heldBy.set(holder, own + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#giveBack(holder)
    }
  }

  #giveBack(holder: string): void {
    this.#held--
    const left = this.#heldBy.get(holder)! - 1
    if (left > 0) this.#heldBy.set(holder, left)
    else this.#heldBy.delete(holder)
  }
}
