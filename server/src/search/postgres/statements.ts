import type { StorePosition, StoreQuery } from '@storedex/search-index'
import type { SearchPlan } from './plan.ts'
import { type AddParameter, clauseConditions, exclusionConditions, rangeConditions } from './store-conditions.ts'

export interface MatchingStores {
  /** Of which catalogue, and of which stores of it. */
  scope: string[]
  /** From which place in the order on; null for the whole of it. */
  start: string | null
  query: StoreQuery
  plan: SearchPlan
  limit: number
}

/** What `(negated_score, id)` is compared with; null from the start of the order on. */
export function placeIn(position: StorePosition | null, parameter: AddParameter): string | null {
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
export function matchingStores(search: MatchingStores, parameter: AddParameter): string {
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
