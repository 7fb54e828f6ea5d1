import type { RawSearch } from '#lib/search-params.ts'

/** What the address of the page says. */
// biome-ignore lint/suspicious/noEmptyInterface: nothing yet
export interface StoreSearch {}

export function validateStoreSearch(_search: RawSearch): StoreSearch {
  return {}
}
