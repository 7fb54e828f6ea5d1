import { keepPreviousData, type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import { call } from './client.ts'
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
