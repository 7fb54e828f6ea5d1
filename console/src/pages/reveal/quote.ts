import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { quoteReveal } from '#api/catalogue.ts'

const freshForMs = 10_000

/** What it would cost to reveal these people now. Asking is free. */
export function quoteQuery(account: string, ids: readonly string[]) {
  const sorted = [...ids].sort()
  return queryOptions({
    queryKey: ['quote', account, sorted],
    queryFn: ({ signal }) => quoteReveal(account, sorted, signal),
    staleTime: freshForMs,
    placeholderData: keepPreviousData,
  })
}
