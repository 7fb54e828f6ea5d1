import type { RawSearch } from '#lib/search-params.ts'

/** What the address of the page says. */
// biome-ignore lint/suspicious/noEmptyInterface: nothing yet
export interface BillingSearch {}

export function validateBillingSearch(_search: RawSearch): BillingSearch {
  return {}
}
