import type { PeopleCountBody, StoreCountBody } from '#lib/filters/request.ts'
import { api, type CallOptions, path } from './client.ts'
import { ApiFailure } from './failure.ts'
import type { CountContactsResponses, CountStoresResponses } from './generated/console.ts'

/** Without facets where the search engine cannot count them. */
type Counted<Reply extends { facets: object }> = Omit<Reply, 'facets'> & Partial<Pick<Reply, 'facets'>>

export type StoreCount = Counted<CountStoresResponses[200]>
export type PeopleCount = Counted<CountContactsResponses[200]>

/** How many match, and how many of each value. Costs nothing. */
export const countStores = (account: string, body: StoreCountBody, options: CallOptions) =>
  countOrTotal(body, (asked) => api.post<StoreCount>(path`/accounts/${account}/stores/count`, asked, options))

export const countPeople = (account: string, body: PeopleCountBody, options: CallOptions) =>
  countOrTotal(body, (asked) => api.post<PeopleCount>(path`/accounts/${account}/contacts/count`, asked, options))

/** How long no facets are asked for after they could not be counted. */
const withoutFacetsMs = 60_000
let facetsAskedAgainAt = 0

/** The total alone where facets cannot be counted, as in an installation that searches in PostgreSQL. */
async function countOrTotal<Body extends StoreCountBody | PeopleCountBody, Count extends { facets?: object }>(
  body: Body,
  count: (body: Omit<Body, 'facets' | 'facet_limit'>) => Promise<Count>,
): Promise<Count> {
  if (Date.now() >= facetsAskedAgainAt)
    try {
      return await count(body)
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status !== 503) throw error
      facetsAskedAgainAt = Date.now() + withoutFacetsMs
    }
  const { facets: _facets, facet_limit: _limit, ...question } = body
  const { facets: _none, ...total } = await count(question)
  return total as Count
}
