import type { StoreSearch } from '../engine.ts'
import { createParameters, type Statement, storeConditions } from './store-conditions.ts'

/**
 * The places of the stores that answer a query, in result order (score from high to low, none last, then id), straight from
 * the table. Made of fixed conditions and parameters only.
 */
export function storeSearchStatement({ mode, query, after, limit }: StoreSearch): Statement {
  const { values, parameter } = createParameters()
  const conditions = storeConditions(mode, query, parameter)
  if (after)
    conditions.push(
      `(negated_score, id) > (${parameter(after.negatedScore)}::double precision, ${parameter(after.storeId)}::bigint)`,
    )
  const text = `
    select negated_score as "negatedScore", id as "storeId"
    from stores
    where ${conditions.join('\n      and ')}
    order by negated_score, id
    limit ${parameter(limit)}::integer`
  return { text, values }
}
