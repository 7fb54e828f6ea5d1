import { type QueryFunctionContext, skipToken, useQuery } from '@tanstack/react-query'
import type { CallOptions } from './client.ts'

/**
 * For requests that cost search rows. An answer is asked for once, and kept while the tab is open: neither a look at the window
 * nor a lost connection nor the way back to a page asks again. Only a reload does.
 */
export const meteredQuery = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 4 * 3_600_000,
  refetchOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
} as const

const rowsLeftKey = (account: string) => ['rows-left', account]

/** For a call that costs search rows: it notes what is left of them. */
export function meteredCall(
  { client, signal }: Pick<QueryFunctionContext, 'client' | 'signal'>,
  account: string,
): CallOptions {
  const onHeaders = (headers: Headers) => {
    const left = headers.get('x-search-rows-remaining')
    if (left !== null) client.setQueryData(rowsLeftKey(account), Number(left))
  }
  return { signal, onHeaders }
}

/** Search rows left of the period, by the latest reply that this tab got. */
export function useRowsLeft(account: string): number | undefined {
  return useQuery<number>({ queryKey: rowsLeftKey(account), queryFn: skipToken, ...meteredQuery }).data
}
