import { useQueryClient } from '@tanstack/react-query'
import { storeFields } from '#lib/filters/fields.ts'
import { parseFilters } from '#lib/filters/url.ts'
import { storeResultQuery } from '../stores/store-result.ts'
import type { StoreSearch } from './search.ts'

export interface Neighbours {
  /** Domains of the stores beside this one on the page of the result; undefined at its ends. */
  previous: string | undefined
  next: string | undefined
  /** From 1, and how many there are on that page. */
  position: number
  count: number
}

/** The stores beside this one in the result that led here, if that is still in memory: it is not asked for again. */
export function useNeighbours(account: string, domain: string, search: StoreSearch): Neighbours | undefined {
  const client = useQueryClient()
  const { queryKey } = storeResultQuery(account, parseFilters(storeFields, search), search.cursor)
  const rows = client.getQueryData(queryKey)?.data ?? []
  const index = rows.findIndex((store) => store.domain === domain)
  if (index < 0) return undefined
  return {
    previous: rows[index - 1]?.domain,
    next: rows[index + 1]?.domain,
    position: index + 1,
    count: rows.length,
  }
}
