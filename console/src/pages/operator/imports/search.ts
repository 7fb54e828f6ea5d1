import type { RawSearch } from '#lib/search-params.ts'
import { parsePagePlace } from '#lib/search-params.ts'

/** What the address of the page says. */
export interface ImportsSearch {
  cursor?: string
  page?: number
}

export function validateImportsSearch(search: RawSearch): ImportsSearch {
  return parsePagePlace(search)
}
