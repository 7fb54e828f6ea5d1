import {
  contactsPerStore,
  type IdSet,
  type MomentRange,
  type PersonQuery,
  type StoreQuery,
  type StoreSortKey,
} from '@storedex/search-index'
import { flagTokens } from '../../query/vocabulary.ts'
import { type ContactSearch, excludedStores, type StoreSearch } from '../engine.ts'
import type { SearchPlan } from './plan.ts'

/** SQL and the values of its parameters. */
export interface Statement {
  text: string
  values: unknown[]
}

/** Adds a value and returns its placeholder, such as `$1`. */
export type AddParameter = (value: unknown) => string

export function createParameters(): { values: unknown[]; parameter: AddParameter } {
  const values: unknown[] = []
  return { values, parameter: (value) => `$${values.push(value)}` }
}

/** Conditions on `stores`: at least one token of each clause. */
export function clauseConditions(clauses: readonly number[][], parameter: AddParameter): string[] {
  const required = clauses.flatMap((clause) => (clause.length === 1 ? clause : []))
  const lists = clauses.filter((clause) => clause.length > 1)
  return [
    ...(required.length > 0 ? [`tokens @> ${parameter(required)}::integer[]`] : []),
    ...lists.map((clause) => `${parameter(clause)}::integer[] && tokens`),
  ]
}

/** None of the tokens. */
export function exclusionConditions(noneOf: readonly number[], parameter: AddParameter): string[] {
  return noneOf.length > 0 ? [`not (${parameter(noneOf)}::integer[] && tokens)`] : []
}

/** Neither of these ids; `column` is a column or an expression. PostgreSQL puts the ids of each list into a hash table. */
export function withoutIds(column: string, lists: readonly IdSet[], parameter: AddParameter): string[] {
  return lists
    .filter(({ count }) => count > 0)
    .map(({ ids, count }) => `${column} <> all (${parameter(`{${ids.sorted(count).join(',')}}`)}::bigint[])`)
}

export function rangeConditions(query: StoreQuery, parameter: AddParameter): string[] {
  const conditions: string[] = []
  if (query.minActiveAds !== null) conditions.push(`active_ads >= ${parameter(query.minActiveAds)}::integer`)
  const requireRange = (column: string, range: MomentRange | null) => {
    if (range?.from != null) conditions.push(`${column} >= ${parameter(isoMoment(range.from))}::timestamptz`)
    if (range?.to != null) conditions.push(`${column} <= ${parameter(isoMoment(range.to))}::timestamptz`)
  }
  requireRange('created_estimate', query.createdBetween)
  requireRange('first_discovered_at', query.discoveredBetween)
  return conditions
}

/** Whether a clause is empty: then no store can match. */
export function matchesNothing(query: StoreQuery): boolean {
  return query.clauses.some((clause) => clause.length === 0)
}

function isoMoment(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Selects the sort keys of matching stores, in order. */
export function storeSearchStatement(search: StoreSearch, plan: SearchPlan): Statement {
  const { mode, query, after, limit, exclude } = search
  const { values, parameter } = createParameters()
  const scope = [`mode = ${parameter(mode)}::text`]
  const sortKey = sortKeyParameters(after, parameter)
  const start = sortKey && `(negated_score, id) > (${sortKey})`
  const text = `
    with ${matchingStores({ scope, start, query, plan, limit, without: excludedStores(exclude) }, parameter)}
    select negated_score as "negatedScore", id as "storeId"
    from matching
    order by negated_score, id`
  return { text, values }
}

/**
 * Selects the sort keys of matching contacts, in order.
 *
 * Every matching store has a matching contact, because a store's tokens include those of its contacts. So a page needs at most
 * one store more than rows: the store of the cursor, which may have no contact left. Contacts up to the cursor are dropped
 * only after `maxPerStore` has counted them, so the cut does not depend on pages.
 */
export function contactSearchStatement(search: ContactSearch, plan: SearchPlan): Statement {
  const { after, limit } = search
  const { values, parameter } = createParameters()
  const sortKey = sortKeyParameters(after, parameter)
  const start = sortKey && `(negated_score, id) >= (${sortKey})`
  const text = `
    ${contactsOfStores(search, { start, plan, stores: limit + 1, join: 'join' }, parameter)}
    ${after ? `where (s.negated_score, s.id, c.place) > (${sortKey}, ${parameter(after.contact)}::integer)` : ''}
    order by s.negated_score, s.id, c.place
    limit ${parameter(limit)}::integer`
  return { text, values }
}

/** Part of a contact search that leaves contacts out: the contacts of the next `stores` matching stores. */
export interface Portion {
  /** The stores begin after this one, or at it. */
  from: { key: StoreSortKey; inclusive: boolean } | null
  stores: number
}

/**
 * Selects the sort keys of the contacts of a portion, in order, from the cursor's store on. A store whose contacts are all left
 * out has a row without a contact, so the rows tell how many stores there were.
 */
export function contactPortionStatement(search: ContactSearch, plan: SearchPlan, { from, stores }: Portion): Statement {
  const { values, parameter } = createParameters()
  const sortKey = sortKeyParameters(from?.key ?? null, parameter)
  const start = sortKey && `(negated_score, id) ${from?.inclusive ? '>=' : '>'} (${sortKey})`
  const text = `
    ${contactsOfStores(search, { start, plan, stores, join: 'left join' }, parameter)}
    order by s.negated_score, s.id, c.place`
  return { text, values }
}

interface ContactsOfStores {
  start: string | null
  plan: SearchPlan
  stores: number
  join: 'join' | 'left join'
}

function contactsOfStores(
  search: ContactSearch,
  { start, plan, stores, join }: ContactsOfStores,
  parameter: AddParameter,
) {
  const { mode, storeIds, person, maxPerStore, exclude } = search
  const scope = [`mode = ${parameter(mode)}::text`]
  if (storeIds) scope.push(`id = any (${parameter(storeIds)}::bigint[])`)
  const without = exclude?.storeIds ?? []
  const matching = { scope, start, query: storeQueryOf(search), plan, limit: stores, without }
  const contacts = [
    // An array, so that contacts are always looked up by their store.
    'store_id = any (array(select id from matching))',
    ...personConditions(person, parameter),
    ...withoutIds(`(store_id * ${contactsPerStore} + number)`, exclude?.contactKeys ?? [], parameter),
  ]
  return `with ${matchingStores(matching, parameter)}, people as materialized (
      select store_id, place
      from (
        select store_id, place, row_number() over (partition by store_id order by place) as nth
        from contacts
        where ${contacts.join(' and ')}
      ) ranked
      where nth <= ${parameter(maxPerStore)}::integer
    )
    select s.negated_score as "negatedScore", s.id as "storeId", c.place as contact
    from matching s
    ${join} people c on c.store_id = s.id`
}

/** Matches the stores that have a matching contact. */
export function storeQueryOf({ store, person }: ContactSearch): StoreQuery {
  return { ...store, clauses: [...store.clauses, person.storeTokens] }
}

export function personConditions({ roles, traits }: PersonQuery, parameter: AddParameter): string[] {
  const conditions: string[] = []
  if (roles) conditions.push(`role = any (${parameter(roles)}::text[])`)
  if (traits) conditions.push(`traits = any (${parameter(traits)}::smallint[])`)
  return conditions
}

interface MatchingStores {
  /** Conditions on the mode and, for named stores, the id. */
  scope: string[]
  /** The condition of the cursor; null for the first page. */
  start: string | null
  query: StoreQuery
  plan: SearchPlan
  limit: number
  /** Stores to leave out. */
  without: readonly IdSet[]
}

/** The right side of a comparison with `(negated_score, id)`; null for the first page. */
function sortKeyParameters(after: StoreSortKey | null, parameter: AddParameter): string | null {
  return after && `${parameter(after.negatedScore)}::double precision, ${parameter(after.storeId)}::bigint`
}

/**
 * Common table expressions; `matching` has the first matching stores.
 *
 * Both methods of a plan are in one statement, so they see one state of the catalogue. PostgreSQL evaluates an expression only
 * as far as its rows are needed: `met` stops the walk at the last row of the page, and `collected` runs only if the walk fell
 * short. `offset 0` and `is true` are optimization fences: they keep PostgreSQL from turning collecting into another walk and
 * from looking up clauses that the plan checks row by row.
 */
function matchingStores(search: MatchingStores, parameter: AddParameter): string {
  const { scope, start, query, plan } = search
  const lookedUp = [...clauseConditions(plan.collectedBy, parameter), ...rangeConditions(query, parameter)]
  const checked = [
    ...clauseConditions(plan.checked, parameter),
    ...exclusionConditions(plan.noneOf, parameter),
    ...withoutIds('id', search.without, parameter),
  ]
  const apart = [...checked, ...(start ? [start] : [])].map((condition) => `(${condition}) is true`)
  const limit = `${parameter(search.limit)}::integer`
  const steps = `${parameter(plan.walkedRows)}::integer`
  return `walked as materialized (
      select negated_score, id, ${[...lookedUp, ...checked].join(' and ') || 'true'} as meets
      from stores
      where ${[...scope, ...(start ? [start] : [])].join(' and ')}
      order by negated_score, id
      limit ${steps}
    ), met as materialized (
      select negated_score, id from walked where meets limit ${limit}
    ), walk as materialized (
      select (select count(*) from met) < ${limit} and (select count(*) from walked) = ${steps} as fell_short
    ), collected as (
      select negated_score, id
      from (
        select negated_score, id
        from stores
        where ${[...scope, ...lookedUp, ...apart].join('\n          and ')}
        offset 0
      ) candidates
      order by negated_score, id
      limit ${limit}
    ), matching as materialized (
      select negated_score, id from met where not (select fell_short from walk)
      union all
      select negated_score, id from collected where (select fell_short from walk)
    )`
}

/**
 * SQL for the document of a store under the delivery rule `deliverEmails`. Documents are rendered for rule `all`; under
 * `verified`, a store may have no contact left to reveal. Quotes inside JSON strings are escaped, so the replacement cannot
 * match elsewhere.
 */
export function servedDocument(stores: string, deliverEmails: string): string {
  return `case
    when ${deliverEmails}::text = 'all' or ${stores}.tokens @> array[${flagTokens.verifiedRevealableContacts}] then ${stores}.document
    else replace(${stores}.document, '"has_revealable_contacts":true', '"has_revealable_contacts":false')
  end`
}
