import { type CallOptions, call } from './client.ts'
import { ApiFailure } from './failure.ts'
import type { CallRequest, Reply } from './operations.ts'

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
