import type { RawSearch } from '#lib/search-params.ts'
import { parsePagePlace } from '#lib/search-params.ts'

/** What the address of the page says. */
export interface ExportsSearch {
  cursor?: string
  page?: number
}

export function validateExportsSearch(search: RawSearch): ExportsSearch {
  return parsePagePlace(search)
}
