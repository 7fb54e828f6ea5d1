import { type CountRequest, type CountResult, countMatches, type IdSet, withoutStores } from '@storedex/search-index'
import { type CountSearch, excludedStores } from '../engine.ts'
import { excludedContacts } from '../memory.ts'
import type { CatalogueView, ReplicaListener } from '../replica/replica.ts'

/** A count over the index in memory. */
export interface CountJob extends Pick<CountSearch, 'mode' | 'holder' | 'signal'> {
  /** Without the stores that are left out. */
  view: CatalogueView
  request: CountRequest
}

/** The job for a search over a view. */
export function countJobOf(view: CatalogueView, search: CountSearch): CountJob {
  const { mode, holder, signal, parts, exclude, exported, revealed, verifiedOnly } = search
  const countsPeople = parts.some(({ person }) => person !== null)
  const stores = countsPeople ? (exclude?.storeIds ?? []) : excludedStores(exclude)
  return {
    mode,
    holder,
    signal,
    view: { ...view, lists: { ...view.lists, [mode]: withoutStores(view.lists[mode], stores) } },
    request: {
      parts,
      exportedStores: idsOf(exported),
      revealedContacts: idsOf(revealed),
      excludedContacts: excludedContacts(exclude),
      verifiedOnly,
    },
  }
}

function idsOf(set: IdSet | null): Float64Array | null {
  return set ? set.ids.sorted(set.count) : null
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
