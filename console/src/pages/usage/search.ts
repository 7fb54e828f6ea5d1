import type { RawSearch } from '#lib/search-params.ts'

/** What the address of the page says. */
// biome-ignore lint/suspicious/noEmptyInterface: nothing yet
export interface UsageSearch {}

export function validateUsageSearch(_search: RawSearch): UsageSearch {
  return {}
}
