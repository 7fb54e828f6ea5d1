import type { PersonQuery, StoreQuery } from '@storedex/search-index'
import type { ContactSearch } from '../engine.ts'
import type { SearchPlan } from './plan.ts'
import { matchingStores, placeIn } from './statements.ts'
import { type AddParameter, createParameters, type Statement } from './store-conditions.ts'

/**
 * The places of the people who answer a query at stores that answer theirs, in result order: that of the stores, then
 * seniority, verified email first, number.
 *
 * Every store that is found has such a person, since the tokens of stores tell of their people. So a page needs no more
 * stores than rows and one: that of the position, of which nobody may be left. Each gives its first people, and only then
 * are those up to the position dropped, so that the cut within a store does not depend on the pages.
 */
export function contactSearchStatement(search: ContactSearch, plan: SearchPlan): Statement {
  const { mode, storeIds, person, maxPerStore, after, limit } = search
  const { values, parameter } = createParameters()
  const scope = [`mode = ${parameter(mode)}::text`]
  const place = placeIn(after, parameter)
  const start = place && `(negated_score, id) >= (${place})`
  if (storeIds) scope.push(`id = any (${parameter(storeIds)}::bigint[])`)
  const stores = { scope, start, query: storesAsked(search), plan, limit: limit + 1 }
  const text = `
    with ${matchingStores(stores, parameter)}
    select s.negated_score as "negatedScore", s.id as "storeId", c.place as contact
    from matching s
    cross join lateral (
      select place
      from contacts
      where ${['store_id = s.id', ...personConditions(person, parameter)].join(' and ')}
      order by place
      limit ${parameter(maxPerStore)}::integer
    ) c
    ${after ? `where (s.negated_score, s.id, c.place) > (${place}, ${parameter(after.contact)}::integer)` : ''}
    order by s.negated_score, s.id, c.place
    limit ${parameter(limit)}::integer`
  return { text, values }
}

/** What a store has to meet, so that a person who answers is found there. */
export function storesAsked({ store, person }: ContactSearch): StoreQuery {
  return { ...store, clauses: [...store.clauses, person.storeTokens] }
}

function personConditions({ roles, traits }: PersonQuery, parameter: AddParameter): string[] {
  const conditions: string[] = []
  if (roles) conditions.push(`role = any (${parameter(roles)}::text[])`)
  if (traits) conditions.push(`traits = any (${parameter(traits)}::smallint[])`)
  return conditions
}
