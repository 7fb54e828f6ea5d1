import type { MomentRange, PersonQuery, StoreSortKey, StoreQuery } from '@storedex/search-index'
import type { ContactSearch, StoreSearch } from '../engine.ts'
import { flagTokens } from '../query/vocabulary.ts'
import type { SearchPlan } from './plan.ts'

/** SQL with what stands for its `$1`, `$2`, and so on. */
export interface Statement {
  text: string
  values: unknown[]
}

/** Adds a value to a statement and returns what stands for it there. */
type AddParameter = (value: unknown) => string

/** The parameters of a statement that is put together. */
function createParameters(): { values: unknown[]; parameter: AddParameter } {
  const values: unknown[] = []
  return { values, parameter: (value) => `$${values.push(value)}` }
}

/** What rows of `stores` have to meet: at least one token of each clause. */
function clauseConditions(clauses: readonly number[][], parameter: AddParameter): string[] {
  const required = clauses.flatMap((clause) => (clause.length === 1 ? clause : []))
  const lists = clauses.filter((clause) => clause.length > 1)
  return [
    ...(required.length > 0 ? [`tokens @> ${parameter(required)}::integer[]`] : []),
    ...lists.map((clause) => `${parameter(clause)}::integer[] && tokens`),
  ]
}

/** Not one of the tokens. */
function exclusionConditions(noneOf: readonly number[], parameter: AddParameter): string[] {
  return noneOf.length > 0 ? [`not (${parameter(noneOf)}::integer[] && tokens)`] : []
}

/** A value within each range that is asked for. */
function rangeConditions(query: StoreQuery, parameter: AddParameter): string[] {
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

/** Whether a clause is empty, which no store meets: nothing needs to be asked. */
export function matchesNothing(query: StoreQuery): boolean {
  return query.clauses.some((clause) => clause.length === 0)
}

function isoMoment(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** The places of the stores that answer a query, in result order: score from high to low, none last, then id. */
export function storeSearchStatement({ mode, query, after, limit }: StoreSearch, plan: SearchPlan): Statement {
  const { values, parameter } = createParameters()
  const scope = [`mode = ${parameter(mode)}::text`]
  const place = placeIn(after, parameter)
  const start = place && `(negated_score, id) > (${place})`
  const text = `
    with ${matchingStores({ scope, start, query, plan, limit }, parameter)}
    select negated_score as "negatedScore", id as "storeId"
    from matching
    order by negated_score, id`
  return { text, values }
}

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

interface MatchingStores {
  /** Of which catalogue, and of which stores of it. */
  scope: string[]
  /** From which place in the order on; null for the whole of it. */
  start: string | null
  query: StoreQuery
  plan: SearchPlan
  limit: number
}

/** What `(negated_score, id)` is compared with; null from the start of the order on. */
function placeIn(position: StoreSortKey | null, parameter: AddParameter): string | null {
  return position && `${parameter(position.negatedScore)}::double precision, ${parameter(position.storeId)}::bigint`
}

/**
 * Common table expressions, of which `matching` has the first stores that answer.
 *
 * Both ways of a plan stand in one statement, and so see one state of the catalogue. PostgreSQL reads an expression only as
 * far as it is asked for rows: `met` stops the walk at the last row that is needed, and `collected` is not begun unless
 * the walk fell short. The offset keeps the limit apart, and no index answers what `is true`: so PostgreSQL neither makes
 * another walk of collecting nor looks up more than the plan says.
 */
function matchingStores(search: MatchingStores, parameter: AddParameter): string {
  const { scope, start, query, plan } = search
  const lookedUp = [...clauseConditions(plan.collectedBy, parameter), ...rangeConditions(query, parameter)]
  const checked = [...clauseConditions(plan.checked, parameter), ...exclusionConditions(plan.noneOf, parameter)]
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
    ), matching as (
      select negated_score, id from met where not (select fell_short from walk)
      union all
      select negated_score, id from collected where (select fell_short from walk)
    )`
}

/**
 * A store's document as it is served, as SQL over `stores`; `deliverEmails` stands for the operator's rule. Documents are
 * rendered for all deliverable emails: where only verified ones count, a store may have nobody left to reveal. Inside a
 * JSON string the quotes would be escaped, so that nothing else can be replaced.
 */
export function servedDocument(stores: string, deliverEmails: string): string {
  return `case
    when ${deliverEmails}::text = 'all' or ${stores}.tokens @> array[${flagTokens.verifiedRevealableContacts}] then ${stores}.document
    else replace(${stores}.document, '"has_revealable_contacts":true', '"has_revealable_contacts":false')
  end`
}
