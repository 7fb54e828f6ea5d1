import {
  type CountRequest,
  type CountResult,
  countMatches,
  type IdSet,
  withoutStoresInSteps,
} from '@storedex/search-index'
import { finishSteps, type Pace, type Steps, unhurried } from '@storedex/work'
import { type CountSearch, excludedStores } from '../engines/engine.ts'
import { excludedContacts } from '../engines/memory.ts'
import type { CatalogueIndex, ReplicaListener } from '../replica/replica.ts'

/** A count over the index in memory. */
export interface CountJob extends Pick<CountSearch, 'mode' | 'holder' | 'signal'> {
  /** Without the stores that are left out. */
  index: CatalogueIndex
  request: CountRequest
}

/** The job for a search over an index. */
export function countJobOf(index: CatalogueIndex, search: CountSearch): CountJob {
  return finishSteps(prepareCountJob(index, search, unhurried))
}

export function* prepareCountJob(index: CatalogueIndex, search: CountSearch, pace: Pace): Steps<CountJob> {
  const { mode, holder, signal, parts, exclude, exported, revealed, verifiedOnly } = search
  const countsPeople = parts.some(({ person }) => person !== null)
  const stores = countsPeople ? (exclude?.storeIds ?? []) : excludedStores(exclude)
  const left = yield* withoutStoresInSteps(index.lists[mode], stores, pace)
  return {
    mode,
    holder,
    signal,
    index: { ...index, lists: { ...index.lists, [mode]: left } },
    request: {
      parts,
      exportedStores: yield* sortedIds(exported, pace),
      revealedContacts: yield* sortedIds(revealed, pace),
      excludedContacts: yield* excludedContacts(exclude, pace),
      verifiedOnly,
    },
  }
}

function* sortedIds(set: IdSet | null, pace: Pace): Steps<Float64Array | null> {
  return set && (yield* set.ids.sortInSteps(set.count, pace))
}

/** Counts over the index in memory. */
export interface Counter {
  count(job: CountJob): Promise<CountResult>
  /** The index that searches use from now on; memory of others must not be kept. Null: none. */
  follow(index: CatalogueIndex | null): void
  close(): Promise<void>
}

export type StartCounting = (onLog: ReplicaListener['onLog']) => Counter

/** Counts in this thread: simple, but requests wait meanwhile. */
export const countInProcess: StartCounting = () => ({
  count: async ({ index, mode, request }) => countMatches(index.lists[mode], request, () => {}),
  follow: () => {},
  close: async () => {},
})
