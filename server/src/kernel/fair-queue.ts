/** A request for a permit that could not be granted at once. */
export interface Waiter {
  /** Called once, when the permit is this waiter's; it must be given back like any other. */
  grant(): void
}

interface Lane {
  running: number
  readonly waiting: Set<Waiter>
}

export interface FairQueueOptions {
  permits: number
  /** How many permits one holder may have at once. Fewer than all leave one free for whoever comes next. */
  permitsPerHolder: number
}

/**
 * A semaphore that is fair between holders instead of between requests: a permit that comes free goes to the holder who
 * has the fewest, and among equals to the one served least recently. Within a holder the order is first come, first
 * served. So a holder with one request waits for at most one permit, however many requests others have queued.
 */
export class FairQueue {
  readonly #permitsPerHolder: number
  // In the order in which they were last served: a lane that gets a permit moves to the end.
  readonly #lanes = new Map<string, Lane>()
  #free: number
  #waiting = 0

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
    if (this.#free === 0 || (lane && (lane.waiting.size > 0 || lane.running >= this.#permitsPerHolder))) return false
    this.#start(holder, lane ?? { running: 0, waiting: new Set() })
    return true
  }

  /** Waits behind the holder's earlier requests. Only after `tryTake` said no. */
  enqueue(holder: string, waiter: Waiter): void {
    const lane = this.#lanes.get(holder) ?? { running: 0, waiting: new Set() }
    this.#lanes.set(holder, lane)
    lane.waiting.add(waiter)
    this.#waiting++
  }

  /** Gives up waiting. False when the permit was granted already. */
  cancel(holder: string, waiter: Waiter): boolean {
    const lane = this.#lanes.get(holder)
    if (!lane?.waiting.delete(waiter)) return false
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
      const [, { waiting, running }] = entry
      if (waiting.size === 0 || running >= this.#permitsPerHolder) continue
      if (!chosen || running < chosen[1].running) chosen = entry
      if (running === 0) break
    }
    if (!chosen) return
    const [holder, lane] = chosen
    const [waiter] = lane.waiting
    lane.waiting.delete(waiter!)
    this.#waiting--
    this.#start(holder, lane)
    waiter!.grant()
  }

  #start(holder: string, lane: Lane): void {
    lane.running++
    this.#free--
    this.#lanes.delete(holder)
    this.#lanes.set(holder, lane)
  }

  #forgetIdle(holder: string, { running, waiting }: Lane): void {
    if (running === 0 && waiting.size === 0) this.#lanes.delete(holder)
  }
}
