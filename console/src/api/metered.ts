import { type QueryFunctionContext, skipToken, useQuery } from '@tanstack/react-query'
import type { CallOptions } from './client.ts'

/**
 * For requests that cost search rows. An answer is asked for once, and kept while the tab is open: neither a look at the window
 * nor a lost connection nor the way back to a page asks again. Only a reload does, and for ten minutes it is free.
 */
export const meteredQuery = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 4 * 3_600_000,
  refetchOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
} as const

const rowsLeftKey = (account: string) => ['rows-left', account]

/** A reply whose rows cost something. */
export type Metered<Reply> = Reply & {
  /** Search rows that it was charged: none for those that the same page has shown within ten minutes. */
  rowsCharged?: number
  /** Why a page of a search is the last one although more matches. */
  searchEnd?: string
}

/** Makes a call that costs search rows. Notes what is left of them. */
export async function callMetered<Reply extends object>(
  { client, signal }: Pick<QueryFunctionContext, 'client'> & Partial<Pick<QueryFunctionContext, 'signal'>>,
  account: string,
  call: (options: CallOptions) => Promise<Reply>,
): Promise<Metered<Reply>> {
  let charged: string | null = null
  let searchEnd: string | null = null
  const onHeaders = (headers: Headers) => {
    charged = headers.get('x-search-rows-charged')
    searchEnd = headers.get('x-search-end')
    const left = headers.get('x-search-rows-remaining')
    if (left !== null) client.setQueryData(rowsLeftKey(account), Number(left))
  }
  const reply = await call({ ...(signal && { signal }), onHeaders })
  return {
    ...reply,
    ...(charged !== null && { rowsCharged: Number(charged) }),
    ...(searchEnd !== null && { searchEnd }),
  }
}

/** Search rows left of the period, by the latest reply that this tab got. */
export function useRowsLeft(account: string): number | undefined {
  return useQuery<number>({ queryKey: rowsLeftKey(account), queryFn: skipToken, ...meteredQuery }).data
}
