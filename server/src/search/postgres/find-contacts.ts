import type { Queryable } from '../../db/pool.ts'
import { contactKey, type Mode } from '../../kernel/ids.ts'
import type { PersonQuery } from '../person.ts'
import type { StoreQuery } from '../query.ts'
import type { StorePosition } from './find-stores.ts'
import { type AddParameter, createParameters, isUnanswerable, storeConditions } from './store-conditions.ts'

/** Where a page starts: right after this person in the result order. */
export interface ContactPosition extends StorePosition {
  /** Place within the store. */
  contact: number
}

export interface ContactSearch {
  mode: Mode
  store: StoreQuery
  /** The only stores to look at; null for all. */
  storeIds: number[] | null
  person: PersonQuery
  /** The first so many of each store, whatever page they fall on. */
  maxPerStore: number
  after: ContactPosition | null
  limit: number
}

export interface FoundContact {
  /** The contact's internal key. */
  id: number
  negatedScore: number
  storeId: number
  /** Place within the store. */
  place: number
  /** The parts of the rendered preview. */
  person: string
  store: string
}

/**
 * The people who answer a query at stores that answer theirs, in result order: that of the stores, then seniority, verified
 * email first, number.
 *
 * Every store that is found has such a person, since the tokens of stores tell of their people. So a page needs no more
 * stores than rows and one: that of the position, of which nobody may be left. Each gives its first people, and only then
 * are those up to the position dropped, so that the cut within a store does not depend on the pages. Unnamed for the
 * reason that `findStores` gives.
 */
export async function findContacts(db: Queryable, search: ContactSearch): Promise<FoundContact[]> {
  if (isUnanswerable(storesAsked(search)) || search.storeIds?.length === 0) return []
  const { text, values } = contactSearchStatement(search)
  const { rows } = await db.query<Omit<FoundContact, 'id'> & { number: number }>(text, values)
  return rows.map(({ number, ...found }) => ({ id: contactKey(found.storeId, number), ...found }))
}

/** The statement of a search, apart so that its plan can be looked at. */
export function contactSearchStatement(search: ContactSearch): { text: string; values: unknown[] } {
  const { mode, storeIds, person, maxPerStore, after, limit } = search
  const { values, parameter } = createParameters()
  const stores = storeConditions(mode, storesAsked(search), parameter)
  if (storeIds) stores.push(`id = any (${parameter(storeIds)}::bigint[])`)
  const score = after && `${parameter(after.negatedScore)}::double precision`
  const storeId = after && `${parameter(after.storeId)}::bigint`
  if (after) stores.push(`(negated_score, id) >= (${score}, ${storeId})`)
  const text = `
    with page_stores as materialized (
      select id, negated_score, preview
      from stores
      where ${stores.join('\n        and ')}
      order by negated_score, id
      limit ${parameter(limit + 1)}::integer
    )
    select s.negated_score as "negatedScore", s.id as "storeId", c.number, c.place, c.preview as person, s.preview as store
    from page_stores s
    cross join lateral (
      select number, place, preview
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

function storesAsked({ store, person }: ContactSearch): StoreQuery {
  return { ...store, clauses: [...store.clauses, person.storeTokens] }
}

function personConditions({ roles, traits }: PersonQuery, parameter: AddParameter): string[] {
  const conditions: string[] = []
  if (roles) conditions.push(`role = any (${parameter(roles)}::text[])`)
  if (traits) conditions.push(`traits = any (${parameter(traits)}::smallint[])`)
  return conditions
}
