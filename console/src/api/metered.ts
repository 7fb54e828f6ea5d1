import { keepPreviousData, type QueryFunctionContext, queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import type { CallOperation, CallRequest, Reply } from './operations.ts'

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
export type Metered<Answer> = Answer & {
  /** Search rows that it was charged: none for those that the same page has shown within ten minutes. */
  rowsCharged?: number
  /** Why a page of a search is the last one although more matches. */
  searchEnd?: string
}

type MeteredOperation = {
  [Id in CallOperation]: CallRequest<Id> extends { account: string } ? Id : never
}[CallOperation]

/** A query that costs search rows. Its key is that of `callQuery`. */
export function meteredCallQuery<Id extends MeteredOperation>(id: Id, request: CallRequest<Id>) {
  return queryOptions({
    queryKey: [id, request] as const,
    queryFn: (context) => callMetered(context, id, request),
    ...meteredQuery,
  })
}

/** A page of a search: the rows before stay on the page until the next have come. */
export function meteredPageQuery<Id extends MeteredOperation>(id: Id, request: CallRequest<Id>) {
  return { ...meteredCallQuery(id, request), placeholderData: keepPreviousData<Metered<Reply<Id>>> }
}

/** Makes a call that costs search rows. Notes what is left of them. */
export async function callMetered<Id extends MeteredOperation>(
  { client, signal }: Pick<QueryFunctionContext, 'client'> & Partial<Pick<QueryFunctionContext, 'signal'>>,
  id: Id,
  request: CallRequest<Id>,
): Promise<Metered<Reply<Id>>> {
  let charged: string | null = null
  let searchEnd: string | null = null
  const onHeaders = (headers: Headers) => {
    charged = headers.get('x-search-rows-charged')
    searchEnd = headers.get('x-search-end')
    const left = headers.get('x-search-rows-remaining')
    if (left !== null) client.setQueryData(rowsLeftKey(request.account), Number(left))
  }
  const reply = await call(id, request, { signal, onHeaders })
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
