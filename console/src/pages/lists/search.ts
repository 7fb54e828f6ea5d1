import { type RawSearch, textParam } from '#lib/search-params.ts'

/** What the address of the lists, or of one of them, says. */
export interface ListsSearch {
  cursor?: string
}

export function validateListsSearch(search: RawSearch): ListsSearch {
  return { cursor: textParam(search.cursor) }
}
