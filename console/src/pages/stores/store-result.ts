import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { searchStores } from '#api/catalogue.ts'
import { callMetered, meteredQuery } from '#api/metered.ts'
import { storeSearchBody } from '#lib/filters/request.ts'
import type { Filters } from '#lib/filters/url.ts'

/** A page of stores. It costs search rows, so it is asked for once and kept. */
export function storeResultQuery(account: string, filters: Filters, cursor: string | undefined) {
  const body = storeSearchBody(filters, cursor)
  return queryOptions({
    queryKey: ['stores', account, body],
    queryFn: (context) => callMetered(context, account, (options) => searchStores(account, body, options)),
    placeholderData: keepPreviousData,
    ...meteredQuery,
  })
}
