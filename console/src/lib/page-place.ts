import { numberParam, type RawSearch, textParam } from './search-params.ts'

/** The place in a list, as the address has it: both are missing on the first page. */
export function parsePagePlace(search: RawSearch): { cursor?: string; page?: number } {
  const cursor = textParam(search.cursor)
  if (!cursor) return {}
  const page = numberParam(search.page)
  return { cursor, page: page !== undefined && Number.isInteger(page) && page > 1 ? page : 2 }
}
