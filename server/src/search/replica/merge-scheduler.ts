import {
  applyMerge,
  dropDeadSegments,
  type LiveSegment,
  mergeSegments,
  planMerge,
  type Segment,
  type SegmentList,
} from '@storedex/search-index'
import { type Mode, modes } from '../../foundation/kernel/ids.ts'
import type { ReplicaListener, ReplicaTimings, SegmentLists } from './replica.ts'

/** Merges without blocking the caller. */
export type MergeInBackground = (parts: readonly LiveSegment[]) => Promise<Segment>

interface Merge {
  mode: Mode
  parts: SegmentList
  /** Whether it merges all segments of the mode, which drops all dead documents. */
  isFull: boolean
  /** Null while it runs. */
  merged: Segment | null
}

export interface MergeSchedulerOptions {
  log: ReplicaListener['onLog']
  /** Called when a background merge has succeeded. */
  onEnd: () => void
}

const retryMs = 10_000

/** Decides which segments are merged when. Small merges run at once; one large merge at a time runs in the background. */
export class MergeScheduler {
  readonly #timings: ReplicaTimings
  readonly #mergeInBackground: MergeInBackground
  readonly #options: MergeSchedulerOptions
  #background: Merge | null = null
  #retryAt = 0
  #hasMergedFully = false
  /** Mode → when a contact was first removed since its last full merge. */
  readonly #purgeRequestedAt = new Map<Mode, number>()

  constructor(timings: ReplicaTimings, mergeInBackground: MergeInBackground, options: MergeSchedulerOptions) {
    this.#timings = timings
    this.#mergeInBackground = mergeInBackground
    this.#options = options
  }

  /** Schedules a full merge of the mode: contacts were removed, so dead copies must go within `purgeAfterMs`. */
  requestPurge(mode: Mode): void {
    if (!this.#purgeRequestedAt.has(mode)) this.#purgeRequestedAt.set(mode, performance.now())
  }

  get isPurgePending(): boolean {
    return this.#purgeRequestedAt.size > 0 || (this.#background?.isFull ?? false)
  }

  /** Whether a full merge completed since the last call. */
  takeFullMerge(): boolean {
    const has = this.#hasMergedFully
    this.#hasMergedFully = false
    return has
  }

  /** Drops all state when the catalogue is dropped. */
  reset(): void {
    this.#background = null
    this.#purgeRequestedAt.clear()
    this.#hasMergedFully = false
  }

  /** Runs or starts all merges that are due. Returns the same object if nothing changed. */
  run(lists: SegmentLists): SegmentLists {
    let current = this.#takeResult(lists)
    for (const mode of modes) current = this.#runMode(current, mode)
    return current
  }

  #runMode(lists: SegmentLists, mode: Mode): SegmentLists {
    const busy = this.#background?.mode === mode ? this.#background.parts : []
    const kept = dropDeadSegments(lists[mode], busy)
    const settled = kept.length === lists[mode].length ? lists : { ...lists, [mode]: kept }
    const isDue =
      performance.now() - (this.#purgeRequestedAt.get(mode) ?? Number.POSITIVE_INFINITY) >= this.#timings.purgeAfterMs
    if (isDue && busy.length === 0) return this.#merge(settled, { mode, parts: kept, isFull: true, merged: null })
    const parts = planMerge(kept, busy)
    if (parts.length === 0) return settled
    return this.#merge(settled, { mode, parts, isFull: parts.length === kept.length, merged: null })
  }

  #merge(lists: SegmentLists, merge: Merge): SegmentLists {
    const stores = merge.parts.reduce((sum, { segment }) => sum + segment.size, 0)
    if (stores <= this.#timings.backgroundMergeStores) {
      if (merge.isFull) this.#purgeRequestedAt.delete(merge.mode)
      return this.#apply(lists, merge, mergeSegments(merge.parts))
    }
    if (this.#background || performance.now() < this.#retryAt) return lists
    this.#start(merge)
    return lists
  }

  #start(merge: Merge): void {
    this.#background = merge
    const since = this.#purgeRequestedAt.get(merge.mode)
    // Contacts removed while it runs are still in the result and need another full merge.
    if (merge.isFull) this.#purgeRequestedAt.delete(merge.mode)
    this.#mergeInBackground(merge.parts).then(
      (merged) => {
        merge.merged = merged
        this.#options.onEnd()
      },
      (error: unknown) => {
        if (this.#background !== merge) return
        this.#background = null
        this.#retryAt = performance.now() + retryMs
        if (merge.isFull && since !== undefined) this.#purgeRequestedAt.set(merge.mode, since)
        this.#options.log('error', 'merging search index segments failed; retrying in 10 s', error)
      },
    )
  }

  #takeResult(lists: SegmentLists): SegmentLists {
    if (!this.#background?.merged) return lists
    const { merged, ...merge } = this.#background
    this.#background = null
    return this.#apply(lists, { ...merge, merged }, merged)
  }

  #apply(lists: SegmentLists, { mode, parts, isFull }: Merge, merged: Segment): SegmentLists {
    this.#hasMergedFully ||= isFull
    return { ...lists, [mode]: applyMerge(lists[mode], parts, merged) }
  }
}
