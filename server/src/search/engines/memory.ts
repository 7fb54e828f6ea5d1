import {
  type ContactKeyList,
  ContactScan,
  type ContactSortKey,
  type LiveSegment,
  StoreScan,
  type StoreSortKey,
  withoutStoresInSteps,
} from '@storedex/search-index'
import { finish, type Pace, type SlicedWork, type Steps, workInSteps, workOf } from '@storedex/work'
import { type ContactSearch, type Exclusion, excludedStores, type StoreSearch } from './engine.ts'

/** Searches segments of the search's mode. */
export function findStoresIn(segments: readonly LiveSegment[], search: StoreSearch): StoreSortKey[] {
  return finish(storeScanOf(segments, search))
}

export function storeScanOf(segments: readonly LiveSegment[], search: StoreSearch): SlicedWork<StoreSortKey[]> {
  const { exclude, query, after, limit } = search
  if (!exclude) return new StoreScan(segments, query, after, limit)
  return workInSteps(function* (pace) {
    const left = yield* withoutStoresInSteps(segments, excludedStores(exclude), pace)
    return yield* workOf(new StoreScan(left, query, after, limit), pace)
  })
}

export function findContactsIn(segments: readonly LiveSegment[], search: ContactSearch): ContactSortKey[] {
  return finish(contactScanOf(segments, search))
}

export function contactScanOf(segments: readonly LiveSegment[], search: ContactSearch): SlicedWork<ContactSortKey[]> {
  const { exclude, ...query } = search
  if (!exclude) return new ContactScan(segments, query)
  return workInSteps(function* (pace) {
    const left = yield* withoutStoresInSteps(segments, exclude.storeIds, pace)
    const without = yield* excludedContacts(exclude, pace)
    return yield* workOf(new ContactScan(left, { ...query, without }), pace)
  })
}

/** The contacts that a contact search leaves out. */
export function* excludedContacts(exclude: Exclusion | null | undefined, pace: Pace): Steps<readonly ContactKeyList[]> {
  const lists: ContactKeyList[] = []
  for (const { ids, count } of exclude?.contactKeys ?? []) lists.push(yield* ids.sortInSteps(count, pace))
  return lists
}
