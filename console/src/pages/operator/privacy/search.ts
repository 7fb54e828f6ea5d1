import type { RawSearch } from '#lib/search-params.ts'

/** What the address of the page says. */
// biome-ignore lint/suspicious/noEmptyInterface: nothing yet
export interface OperatorPrivacySearch {}

export function validateOperatorPrivacySearch(_search: RawSearch): OperatorPrivacySearch {
  return {}
}
