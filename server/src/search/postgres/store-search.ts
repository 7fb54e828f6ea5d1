import type { StoreSearch } from '../engine.ts'
import type { SearchPlan } from './plan.ts'
import { matchingStores, placeIn } from './statements.ts'
import { createParameters, type Statement } from './store-conditions.ts'

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
