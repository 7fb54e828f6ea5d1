import { keepPreviousData, QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import { call } from './client.ts'
import { pauseMs } from './connection.ts'
import { ApiFailure } from './failure.ts'
import type { CallOperation, CallRequest, Reply } from './operations.ts'

/**
 * A query whose key is the operation and its request, so that the key of a part of the request, such as
 * `['listKeys', { account }]`, means all queries with that part.
 */
export function callQuery<Id extends CallOperation>(id: Id, request: CallRequest<Id>) {
  return queryOptions<Reply<Id>, Error, Reply<Id>, readonly [Id, CallRequest<Id>]>({
    queryKey: [id, request],
    queryFn: ({ signal }) => call(id, request, { signal }),
  })
}

/** A query of a list by pages: the rows before stay on the page until the next have come. */
export function pageQuery<Id extends CallOperation>(id: Id, request: CallRequest<Id>) {
  return { ...callQuery(id, request), placeholderData: keepPreviousData<Reply<Id>> }
}

/** Loads again what these operations answered, where a page shows it, and otherwise when it is shown. */
export async function reload(client: QueryClient, ...operations: CallOperation[]): Promise<void> {
  await Promise.all(operations.map((id) => client.invalidateQueries({ queryKey: [id] })))
}

export function useReload(...operations: CallOperation[]): () => Promise<void> {
  const client = useQueryClient()
  return () => reload(client, ...operations)
}

const freshForMs = 30_000
const tries = 2

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshForMs,
        // A page asked for again can cost again: only an action of the user reloads it.
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: 'always',
        retry: shouldRetry,
        retryDelay: (attempt, error) => (error instanceof ApiFailure && error.retryAfterMs) || pauseMs(attempt),
      },
      // Never by itself: the first try may have been carried out although its answer was lost.
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/** As long as the server is away; twice when it is busy. */
function shouldRetry(attempt: number, error: Error): boolean {
  if (!(error instanceof ApiFailure)) return false
  if (error.code === 'unreachable') return true
  const isBusy = error.status === 503 || error.code === 'rate_limit_exceeded'
  return isBusy && attempt < tries && (error.retryAfterMs ?? 0) <= 5_000
}
