import { parsePagePlace } from '#lib/page-place.ts'
import type { RawSearch } from '#lib/search-params.ts'

/** What the address of the page says. */
export interface ImportsSearch {
  cursor?: string
  page?: number
}

export function validateImportsSearch(search: RawSearch): ImportsSearch {
  return parsePagePlace(search)
}
