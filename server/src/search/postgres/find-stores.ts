import type { Queryable } from '../../db/pool.ts'
import type { Mode } from '../../kernel/ids.ts'
import type { DeliverEmails } from '../delivery.ts'
import type { StoreQuery } from '../query.ts'
import { servedDocument } from './served-document.ts'
import { createParameters, isUnanswerable, storeConditions } from './store-conditions.ts'

/** Where a page starts: right after this place in the result order. */
export interface StorePosition {
  /** Infinity for a store without a score. */
  negatedScore: number
  storeId: number
}

export interface StoreSearch {
  mode: Mode
  query: StoreQuery
  after: StorePosition | null
  limit: number
  deliverEmails: DeliverEmails
}

export interface FoundStore {
  id: number
  negatedScore: number
  /** The public Store JSON. */
  document: string
}

/**
 * The stores that answer a query, in result order (score from high to low, none last, then id), straight from the table.
 *
 * The statement is made of fixed conditions and parameters only. It is deliberately not a named one: PostgreSQL then plans
 * it for the very values asked for, which decides between walking `stores_in_order` (common values) and collecting by
 * `stores_by_token` (rare ones). At 100,000 stores a plan kept across values takes 22 ms for a common country in place of
 * 0.5 ms; planning each time costs 0.2 ms.
 */
export async function findStores(db: Queryable, search: StoreSearch): Promise<FoundStore[]> {
  if (isUnanswerable(search.query)) return []
  const { text, values } = storeSearchStatement(search)
  const { rows } = await db.query<FoundStore>(text, values)
  return rows
}

/** The statement of a search, apart so that its plan can be looked at. */
export function storeSearchStatement({ mode, query, after, limit, deliverEmails }: StoreSearch): {
  text: string
  values: unknown[]
} {
  const { values, parameter } = createParameters()
  const conditions = storeConditions(mode, query, parameter)
  if (after)
    conditions.push(
      `(negated_score, id) > (${parameter(after.negatedScore)}::double precision, ${parameter(after.storeId)}::bigint)`,
    )
  const text = `
    select id, negated_score as "negatedScore", ${servedDocument('stores', parameter(deliverEmails))} as document
    from stores
    where ${conditions.join('\n      and ')}
    order by negated_score, id
    limit ${parameter(limit)}::integer`
  return { text, values }
}
