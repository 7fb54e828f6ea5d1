import { storeFields } from '#lib/filters/fields.ts'
import { type FilterSearch, parseFilters, toSearch } from '#lib/filters/url.ts'
import { parsePagePlace, type RawSearch, textParam } from '#lib/search-params.ts'

/** The page's search parameters. */
export interface StoresSearch extends FilterSearch {
  /** Ids of the columns, joined by spaces. */
  columns?: string
  cursor?: string
  page?: number
}

export function validateStoresSearch(search: RawSearch): StoresSearch {
  const columns = textParam(search.columns)
  return {
    ...toSearch(storeFields, parseFilters(storeFields, search)),
    ...(columns && { columns }),
    ...parsePagePlace(search),
  }
}
