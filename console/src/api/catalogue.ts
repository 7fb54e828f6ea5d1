import { queryOptions, useQuery } from '@tanstack/react-query'
import { Taxonomy } from '#lib/filters/taxonomy.ts'
import { type CallOptions, call } from './client.ts'
import { ApiFailure } from './failure.ts'
import type { CallRequest, Reply, Row } from './operations.ts'

export type Store = Row<'searchStores'>

/** A store with its first people and its newest changes. */
export type StorePage = Reply<'viewStore'>

/** A person without channels. */
export type ContactPreview = Row<'searchContacts'>

/** A person with channels. Kept in memory only, and only as long as they are shown. */
export type Contact = Row<'revealContacts'>

export type RevealedContact = Row<'listRevealed'>

export type CountOperation = 'countStores' | 'countContacts'

/** How many match, and how many of each value: without facets where the search engine cannot count them. */
export type Count<Id extends CountOperation> = Omit<Reply<Id>, 'facets'> & Partial<Pick<Reply<Id>, 'facets'>>

/** How long no facets are asked for after they could not be counted. */
const withoutFacetsMs = 60_000
let facetsAskedAgainAt = 0

/** Costs nothing. The total alone where facets cannot be counted, as in an installation that searches in PostgreSQL. */
export async function count<Id extends CountOperation>(
  id: Id,
  request: CallRequest<Id>,
  options: CallOptions,
): Promise<Count<Id>> {
  if (Date.now() >= facetsAskedAgainAt)
    try {
      return await call(id, request, options)
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status !== 503) throw error
      facetsAskedAgainAt = Date.now() + withoutFacetsMs
    }
  const { facets: _facets, facet_limit: _limit, ...body } = request.body
  const { facets: _none, ...total } = await call(id, { ...request, body }, options)
  return total
}

const freshForMs = 3_600_000

const taxonomyQuery = queryOptions({
  queryKey: ['taxonomy'],
  queryFn: async ({ signal }) => new Taxonomy(await call('getTaxonomy', {}, { signal })),
  staleTime: freshForMs,
  // It is an instance of a class; comparing its content would cost more than it saves.
  structuralSharing: false,
})

/** The values of filters with their labels; costs nothing. */
export function useTaxonomy() {
  return useQuery(taxonomyQuery)
}
