import type { ContactSearch } from '../engine.ts'
import type { PersonQuery } from '../person.ts'
import type { StoreQuery } from '../query.ts'
import { type AddParameter, createParameters, type Statement, storeConditions } from './store-conditions.ts'

/**
 * The places of the people who answer a query at stores that answer theirs, in result order: that of the stores, then
 * seniority, verified email first, number.
 *
 * Every store that is found has such a person, since the tokens of stores tell of their people. So a page needs no more
 * stores than rows and one: that of the position, of which nobody may be left. Each gives its first people, and only then
 * are those up to the position dropped, so that the cut within a store does not depend on the pages.
 */
export function contactSearchStatement(search: ContactSearch): Statement {
  const { mode, storeIds, person, maxPerStore, after, limit } = search
  const { values, parameter } = createParameters()
  const stores = storeConditions(mode, storesAsked(search), parameter)
  if (storeIds) stores.push(`id = any (${parameter(storeIds)}::bigint[])`)
  const score = after && `${parameter(after.negatedScore)}::double precision`
  const storeId = after && `${parameter(after.storeId)}::bigint`
  if (after) stores.push(`(negated_score, id) >= (${score}, ${storeId})`)
  const text = `
    with page_stores as materialized (
      select id, negated_score
      from stores
      where ${stores.join('\n        and ')}
      order by negated_score, id
      limit ${parameter(limit + 1)}::integer
    )
    select s.negated_score as "negatedScore", s.id as "storeId", c.place as contact
    from page_stores s
    cross join lateral (
      select place
      from contacts
      where ${['store_id = s.id', ...personConditions(person, parameter)].join(' and ')}
      order by place
      limit ${parameter(maxPerStore)}::integer
    ) c
    ${after ? `where (s.negated_score, s.id, c.place) > (${score}, ${storeId}, ${parameter(after.contact)}::integer)` : ''}
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
