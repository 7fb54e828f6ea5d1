export interface SlotsOptions {
  /** Between how many holders the number of slots moves. */
  least: number
  most: number
  /** A holder that takes longer no longer counts: it may be waiting for a lock, and others need not wait for that. */
  overdueMs?: number
}

interface Holder {
  sinceMs: number
  counts: boolean
}

/** A slot that was waited for, or not. */
export interface Slot {
  hasWaited: boolean
  /** Tells whether waiting was of use; only for a slot that was waited for. */
  judgeWait(wasUseful: boolean): void
  release(): void
}

const firstSlots = 4
/** So many more useful waits than useless ones, or the reverse, move the number of slots by one. */
const judgementsToMove = 8

/**
 * Bounds how much work is under way, and finds the bound by what waiting is good for: while work that waits grows into
 * larger batches, fewer slots do the same work with fewer batches; while it does not, more slots let it begin earlier.
 */
export class Slots {
  readonly #least: number
  readonly #most: number
  readonly #overdueMs: number
  #slots: number
  #judgement = 0
  readonly #holders = new Set<Holder>()
  #counted = 0
  readonly #waiting: ((holder: Holder) => void)[] = []
  #timer: NodeJS.Timeout | null = null

  constructor({ least, most, overdueMs = 50 }: SlotsOptions) {
    this.#least = least
    this.#most = Math.max(least, most)
    this.#overdueMs = overdueMs
    this.#slots = Math.min(Math.max(firstSlots, least), this.#most)
  }

  /** How many holders there may be now. */
  get size(): number {
    return this.#slots
  }

  /** In the order of the calls. */
  async take(): Promise<Slot> {
    if (this.#counted < this.#slots) return this.#slotOf(this.#hold(), false)
    const holder = await new Promise<Holder>((resolve) => {
      this.#waiting.push(resolve)
      this.#watchHolders()
    })
    return this.#slotOf(holder, true)
  }

  #slotOf(holder: Holder, hasWaited: boolean): Slot {
    return {
      hasWaited,
      judgeWait: (wasUseful) => this.#judge(wasUseful),
      release: () => {
        if (this.#holders.delete(holder)) this.#stopCounting(holder)
      },
    }
  }

  #hold(): Holder {
    const holder = { sinceMs: performance.now(), counts: true }
    this.#holders.add(holder)
    this.#counted++
    return holder
  }

  #stopCounting(holder: Holder): void {
    if (!holder.counts) return
    holder.counts = false
    this.#counted--
    this.#admitWaiting()
  }

  #admitWaiting(): void {
    while (this.#waiting.length > 0 && this.#counted < this.#slots) this.#waiting.shift()!(this.#hold())
  }

  #judge(wasUseful: boolean): void {
    this.#judgement += wasUseful ? 1 : -1
    if (Math.abs(this.#judgement) < judgementsToMove) return
    this.#slots = Math.min(Math.max(this.#slots - Math.sign(this.#judgement), this.#least), this.#most)
    this.#judgement = 0
    this.#admitWaiting()
  }

  /** While work waits, looks for holders that are overdue. */
  #watchHolders(): void {
    if (this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      const overdueSinceMs = performance.now() - this.#overdueMs
      for (const holder of this.#holders) if (holder.sinceMs <= overdueSinceMs) this.#stopCounting(holder)
      if (this.#waiting.length > 0) this.#watchHolders()
    }, this.#overdueMs / 2)
    this.#timer.unref()
  }
}
