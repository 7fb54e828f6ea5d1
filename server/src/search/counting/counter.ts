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
import type { CatalogueView, ReplicaListener } from '../replica/replica.ts'

/** A count over the index in memory. */
export interface CountJob extends Pick<CountSearch, 'mode' | 'holder' | 'signal'> {
  /** Without the stores that are left out. */
  view: CatalogueView
  request: CountRequest
}

/** The job for a search over a view. */
export function countJobOf(view: CatalogueView, search: CountSearch): CountJob {
  return finishSteps(prepareCountJob(view, search, unhurried))
}

export function* prepareCountJob(view: CatalogueView, search: CountSearch, pace: Pace): Steps<CountJob> {
  const { mode, holder, signal, parts, exclude, exported, revealed, verifiedOnly } = search
  const countsPeople = parts.some(({ person }) => person !== null)
  const stores = countsPeople ? (exclude?.storeIds ?? []) : excludedStores(exclude)
  const left = yield* withoutStoresInSteps(view.lists[mode], stores, pace)
  return {
    mode,
    holder,
    signal,
    view: { ...view, lists: { ...view.lists, [mode]: left } },
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
  /** The view that searches use from now on; memory of others must not be kept. Null: none. */
  follow(view: CatalogueView | null): void
  close(): Promise<void>
}

export type StartCounting = (onLog: ReplicaListener['onLog']) => Counter

/** Counts in this thread: simple, but requests wait meanwhile. */
export const countInProcess: StartCounting = () => ({
  count: async ({ view, mode, request }) => countMatches(view.lists[mode], request, () => {}),
  follow: () => {},
  close: async () => {},
})
