import { queryOptions } from '@tanstack/react-query'
import { getStore } from '#api/catalogue.ts'
import { callMetered, meteredQuery } from '#api/metered.ts'

/** A store with its first people and newest changes. It costs one search row, so it is asked for once and kept. */
export function storeViewQuery(account: string, domain: string) {
  return queryOptions({
    queryKey: ['store', account, domain],
    queryFn: (context) => callMetered(context, account, (options) => getStore(account, domain, options)),
    ...meteredQuery,
  })
}
