import type { Mode } from '../../foundation/kernel/ids.ts'
import { PartedSet } from '../../foundation/runtime/parted.ts'

/** The account and the period of the exports. */
export interface ExportsOwner {
  accountId: number
  mode: Mode
  periodStart: Date
}

/** The stores that one owner is known to have exported. */
export type KnownStores = Pick<PartedSet, 'has' | 'size'>

/** Of an entry of a set of small integers. */
const bytesPerStore = 40

/**
 * Stores that accounts have exported in their newest period, in memory: those that this process has seen committed. It knows no
 * store that is not exported; one that it lacks may be exported all the same. Past periods are not kept, because closing them
 * drops their exports. Accounts that were used longest ago are dropped first.
 */
export class KnownExports {
  readonly #maxStores: number
  /** By account and mode; the one used last comes last. */
  readonly #periods = new Map<string, KnownPeriod>()
  #stores = 0

  constructor({ maxBytes }: { maxBytes: number }) {
    this.#maxStores = Math.floor(maxBytes / bytesPerStore)
  }

  /** The known stores of an owner; only to be read. */
  of(owner: ExportsOwner): KnownStores {
    const known = this.#periods.get(keyOf(owner))
    return known?.startMs === owner.periodStart.getTime() ? known.storeIds : none
  }

  /** Adds stores whose exports are committed. */
  add(owner: ExportsOwner, storeIds: Iterable<number>): void {
    const key = keyOf(owner)
    const startMs = owner.periodStart.getTime()
    let known = this.#periods.get(key)
    if (known && known.startMs > startMs) return
    if (known?.startMs !== startMs) {
      this.#drop(key)
      known = { startMs, storeIds: new PartedSet() }
    }
    const sizeBefore = known.storeIds.size
    for (const storeId of storeIds) known.storeIds.add(storeId)
    this.#periods.delete(key)
    this.#periods.set(key, known)
    this.#stores += known.storeIds.size - sizeBefore
    for (const each of this.#periods.keys()) {
      if (this.#stores <= this.#maxStores) break
      this.#drop(each)
    }
  }

  /** Forgets everything, as after a connection was lost: another database may answer the next one. */
  clear(): void {
    this.#periods.clear()
    this.#stores = 0
  }

  #drop(key: string): void {
    this.#stores -= this.#periods.get(key)?.storeIds.size ?? 0
    this.#periods.delete(key)
  }
}

interface KnownPeriod {
  startMs: number
  storeIds: PartedSet
}

const none = new PartedSet()

function keyOf({ accountId, mode }: ExportsOwner): string {
  return `${accountId} ${mode}`
}
