import { type RawSearch, textParam } from '#lib/search-params.ts'

/** The search parameters of the lists and of one list. */
export interface ListsSearch {
  cursor?: string
}

export function validateListsSearch(search: RawSearch): ListsSearch {
  return { cursor: textParam(search.cursor) }
}
