import {
  dropDeadSegments,
  type LiveSegment,
  mergeSegments,
  planMerge,
  type Segment,
  type SegmentList,
  applyMerge,
} from '@storedex/search-index'
import { type Mode, modes } from '../../kernel/ids.ts'
import type { ReplicaListener, ReplicaTimings, SegmentLists } from './replica.ts'

/** Makes a large merge where nobody waits for it. */
export type MergeInBackground = (parts: readonly LiveSegment[]) => Promise<Segment>

interface Merge {
  mode: Mode
  parts: SegmentList
  /** Whether it takes in all of the mode, and so forgets what has died. */
  isWhole: boolean
  /** Null while it is being made. */
  merged: Segment | null
}

export interface MergeSchedulerOptions {
  tell: ReplicaListener['onLine']
  /** A merge aside has ended. */
  onEnd: () => void
}

const retryMs = 10_000

/** Decides what is merged when. One merge is made aside at a time; small ones are made on the spot. */
export class MergeScheduler {
  readonly #timings: ReplicaTimings
  readonly #mergeAside: MergeInBackground
  readonly #options: MergeSchedulerOptions
  #aside: Merge | null = null
  #retryAt = 0
  #hasMergedWhole = false
  /** Since when dead copies tell of people who are gone. */
  readonly #forgettingSince = new Map<Mode, number>()

  constructor(timings: ReplicaTimings, mergeAside: MergeInBackground, options: MergeSchedulerOptions) {
    this.#timings = timings
    this.#mergeAside = mergeAside
    this.#options = options
  }

  /** Somebody is gone from stores of this mode: their older copies have to go, too, within a bound. */
  forget(mode: Mode): void {
    if (!this.#forgettingSince.has(mode)) this.#forgettingSince.set(mode, performance.now())
  }

  get isForgetting(): boolean {
    return this.#forgettingSince.size > 0 || (this.#aside?.isWhole ?? false)
  }

  /** Whether a mode was merged whole since the last call. */
  takeWholeMerge(): boolean {
    const has = this.#hasMergedWhole
    this.#hasMergedWhole = false
    return has
  }

  /** Forgets what it was about, with the catalogue that it belonged to. */
  reset(): void {
    this.#aside = null
    this.#forgettingSince.clear()
    this.#hasMergedWhole = false
  }

  /** The shelves after all that is due; the very same ones when nothing is. */
  settle(shelves: SegmentLists): SegmentLists {
    let settled = this.#takeResult(shelves)
    for (const mode of modes) settled = this.#settleMode(settled, mode)
    return settled
  }

  #settleMode(shelves: SegmentLists, mode: Mode): SegmentLists {
    const busy = this.#aside?.mode === mode ? this.#aside.parts : []
    const kept = dropDeadSegments(shelves[mode], busy)
    const settled = kept.length === shelves[mode].length ? shelves : { ...shelves, [mode]: kept }
    const isDue =
      performance.now() - (this.#forgettingSince.get(mode) ?? Number.POSITIVE_INFINITY) >= this.#timings.forgetAfterMs
    if (isDue && busy.length === 0) return this.#merge(settled, { mode, parts: kept, isWhole: true, merged: null })
    const parts = planMerge(kept, busy)
    if (parts.length === 0) return settled
    return this.#merge(settled, { mode, parts, isWhole: parts.length === kept.length, merged: null })
  }

  #merge(shelves: SegmentLists, merge: Merge): SegmentLists {
    const stores = merge.parts.reduce((sum, { segment }) => sum + segment.size, 0)
    if (stores <= this.#timings.asideStores) {
      if (merge.isWhole) this.#forgettingSince.delete(merge.mode)
      return this.#apply(shelves, merge, mergeSegments(merge.parts))
    }
    if (this.#aside || performance.now() < this.#retryAt) return shelves
    this.#start(merge)
    return shelves
  }

  #start(merge: Merge): void {
    this.#aside = merge
    const since = this.#forgettingSince.get(merge.mode)
    // Who goes while it is made stands in it, and needs another one.
    if (merge.isWhole) this.#forgettingSince.delete(merge.mode)
    this.#mergeAside(merge.parts).then(
      (merged) => {
        merge.merged = merged
        this.#options.onEnd()
      },
      (error: unknown) => {
        if (this.#aside !== merge) return
        this.#aside = null
        this.#retryAt = performance.now() + retryMs
        if (merge.isWhole && since !== undefined) this.#forgettingSince.set(merge.mode, since)
        this.#options.tell('error', 'a merge of the search index failed; it is tried again', error)
      },
    )
  }

  #takeResult(shelves: SegmentLists): SegmentLists {
    if (!this.#aside?.merged) return shelves
    const { merged, ...merge } = this.#aside
    this.#aside = null
    return this.#apply(shelves, { ...merge, merged }, merged)
  }

  #apply(shelves: SegmentLists, { mode, parts, isWhole }: Merge, merged: Segment): SegmentLists {
    this.#hasMergedWhole ||= isWhole
    return { ...shelves, [mode]: applyMerge(shelves[mode], parts, merged) }
  }
}
