import type { RawSearch } from '#lib/search-params.ts'
import { parsePagePlace } from '#lib/search-params.ts'

/** What the address of the page says. */
export interface OperatorPrivacySearch {
  cursor?: string
  page?: number
}

export function validateOperatorPrivacySearch(search: RawSearch): OperatorPrivacySearch {
  return parsePagePlace(search)
}
