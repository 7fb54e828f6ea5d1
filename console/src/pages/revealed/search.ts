import { parsePagePlace, type RawSearch, textParam } from '#lib/search-params.ts'

/** The page's search parameters. */
export interface RevealedSearch {
  /** The domain of a store. */
  store?: string
  cursor?: string
  page?: number
}

export function validateRevealedSearch(search: RawSearch): RevealedSearch {
  const store = textParam(search.store)
  return { ...(store && { store }), ...parsePagePlace(search) }
}
