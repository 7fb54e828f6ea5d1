import type { Slots } from './slots.ts'

export interface CoalescerOptions<Item, Result> {
  /** Maximum number of items of a batch. */
  maxItems: number
  /** Maximum total weight of a batch; a heavier item travels alone. */
  maxWeight?: number
  /** The weight of an item; default: 1. */
  weigh?: (item: Item) => number
  /** Whether an item may travel in the batch that begins with `first`; default: yes. */
  canJoin?: (first: Item, item: Item) => boolean
  /** Whether an idle lane first gathers what arrives in the same turn of the event loop, which takes microseconds. */
  gathersTurn?: boolean
  /** Bounds how many batches are under way, over all coalescers that share the slots; default: one on each lane. */
  slots?: Slots
  /**
   * Does a batch, all or nothing. Resolves to one result for each item, or to null when the batch was refused and nothing
   * was done; then its items are sent one by one. Rejects all items when it throws.
   */
  send: (items: readonly Item[]) => Promise<readonly Result[] | null>
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

interface Waiting<Item, Result> {
  item: Item
  isAbandoned: (() => boolean) | undefined
  resolve: (result: Result | null) => void
  reject: (error: unknown) => void
}

/**
 * Lets concurrent work share round trips. Each lane has at most one batch under way; what arrives meanwhile gathers and is
 * sent together when it returns. Nothing waits for a batch to fill: an item on an idle lane is sent at once and alone, unless
 * all slots are taken; what arrives while the lane waits for one joins the batch.
 */
export class Coalescer<Item, Result> {
  readonly #options: CoalescerOptions<Item, Result>
  /** A lane is in the map while it sends. */
  readonly #lanes = new Map<string, Waiting<Item, Result>[]>()
  #batches = 0
  #items = 0

  constructor(options: CoalescerOptions<Item, Result>) {
    this.#options = options
  }

  /** Batches sent so far, and the items in them; an item that is repeated alone counts again. */
  get sent(): { batches: number; items: number } {
    return { batches: this.#batches, items: this.#items }
  }

  /**
   * Sends an item on its lane. Resolves to its result, or to null if it was refused alone too; then nothing was done for it.
   * `isAbandoned` is called just before sending; the promise of an abandoned item never settles.
   */
  run(lane: string, item: Item, isAbandoned?: () => boolean): Promise<Result | null> {
    return new Promise((resolve, reject) => {
      const waiting = { item, isAbandoned, resolve, reject }
      const queue = this.#lanes.get(lane)
      if (queue) {
        queue.push(waiting)
        return
      }
      const newQueue = [waiting]
      this.#lanes.set(lane, newQueue)
      void this.#drain(lane, newQueue)
    })
  }

  async #drain(lane: string, queue: Waiting<Item, Result>[]): Promise<void> {
    if (this.#options.gathersTurn) await nextTurn()
    const { slots } = this.#options
    while (queue.length > 0) {
      const slot = slots ? await slots.take() : null
      // Taken only now, so that the batch has what arrived meanwhile.
      const batch = this.#takeBatch(queue)
      if (slot?.hasWaited) slot.judgeWait(batch.length > 1)
      if (batch.length > 0) await this.#settle(batch)
      slot?.release()
    }
    this.#lanes.delete(lane)
  }

  async #settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    if (await this.#send(batch)) return
    if (batch.length === 1) batch[0]!.resolve(null)
    else for (const each of batch) if (!(await this.#send([each]))) each.resolve(null)
  }

  /** Takes the first item, and in their order those that may travel with it; empty when no item waits any more. */
  #takeBatch(queue: Waiting<Item, Result>[]): Waiting<Item, Result>[] {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY, weigh = () => 1, canJoin = () => true } = this.#options
    const batch: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    let weight = 0
    for (const each of queue) {
      if (each.isAbandoned?.()) continue
      const [first] = batch
      const weightWith = weight + weigh(each.item)
      if (first && (batch.length === maxItems || weightWith > maxWeight || !canJoin(first.item, each.item)))
        left.push(each)
      else {
        batch.push(each)
        weight = weightWith
      }
    }
    queue.splice(0, queue.length, ...left)
    return batch
  }

  /** Whether the batch is settled; false when it was refused, or for a single item, when it is to be resolved to null. */
  async #send(batch: readonly Waiting<Item, Result>[]): Promise<boolean> {
    // The others of a refused batch were sent before; meanwhile this one may have been abandoned.
    if (batch.length === 1 && batch[0]!.isAbandoned?.()) return true
    this.#batches++
    this.#items += batch.length
    try {
      const results = await this.#options.send(batch.map(({ item }) => item))
      if (results === null) return false
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    return true
  }
}
