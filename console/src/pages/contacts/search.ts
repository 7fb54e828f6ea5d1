import { contactFields } from '#lib/filters/fields.ts'
import { type FilterSearch, parseFilters, toSearch } from '#lib/filters/url.ts'
import { numberParam, parsePagePlace, type RawSearch, textParam } from '#lib/search-params.ts'

export const defaultMaxPerStore = 3
const mostPerStore = 10

/** The page's search parameters. */
export interface ContactsSearch extends FilterSearch {
  /** The most people of one store, over all pages; missing for 3. */
  per_store?: number
  /** Ids of the columns, joined by spaces. */
  columns?: string
  cursor?: string
  page?: number
}

export function validateContactsSearch(search: RawSearch): ContactsSearch {
  const columns = textParam(search.columns)
  const perStore = parseMaxPerStore(search.per_store)
  return {
    ...toSearch(contactFields, parseFilters(contactFields, search)),
    ...(perStore !== defaultMaxPerStore && { per_store: perStore }),
    ...(columns && { columns }),
    ...parsePagePlace(search),
  }
}

function parseMaxPerStore(value: unknown): number {
  const number = numberParam(value)
  const isAllowed = number !== undefined && Number.isInteger(number) && number >= 1 && number <= mostPerStore
  return isAllowed ? number : defaultMaxPerStore
}
