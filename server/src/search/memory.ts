import {
  type ContactKeyList,
  type ContactSortKey,
  type LiveSegment,
  type StoreSortKey,
  scanContacts,
  scanStores,
  withoutStores,
} from '@storedex/search-index'
import { type ContactSearch, type Exclusion, excludedStores, type StoreSearch } from './engine.ts'

/** Searches segments of the search's mode. */
export function findStoresIn(segments: readonly LiveSegment[], search: StoreSearch): StoreSortKey[] {
  const left = withoutStores(segments, excludedStores(search.exclude))
  return scanStores(left, search.query, search.after, search.limit)
}

export function findContactsIn(segments: readonly LiveSegment[], search: ContactSearch): ContactSortKey[] {
  const { exclude, ...query } = search
  const left = withoutStores(segments, exclude?.storeIds ?? [])
  return scanContacts(left, { ...query, without: excludedContacts(exclude) })
}

/** The contacts that a contact search leaves out. */
export function excludedContacts(exclude: Exclusion | null | undefined): readonly ContactKeyList[] {
  return exclude?.contactKeys.map(({ ids, count }) => ids.sorted(count)) ?? []
}
