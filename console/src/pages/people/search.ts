import type { RawSearch } from '#lib/search-params.ts'

/** What the address of the page says. */
// biome-ignore lint/suspicious/noEmptyInterface: nothing yet
export interface PeopleSearch {}

export function validatePeopleSearch(_search: RawSearch): PeopleSearch {
  return {}
}
