import type { Mode } from '../../kernel/ids.ts'
import type { MomentRange, StoreQuery } from '../query.ts'

/** SQL with what stands for its `$1`, `$2`, and so on. */
export interface Statement {
  text: string
  values: unknown[]
}

/** Adds a value to a statement and returns what stands for it there. */
export type AddParameter = (value: unknown) => string

/** The parameters of a statement that is put together. */
export function createParameters(): { values: unknown[]; parameter: AddParameter } {
  const values: unknown[] = []
  return { values, parameter: (value) => `$${values.push(value)}` }
}

/** What `stores` rows have to meet to answer a query in a mode: fixed conditions and parameters only. */
export function storeConditions(mode: Mode, query: StoreQuery, parameter: AddParameter): string[] {
  const conditions = [`mode = ${parameter(mode)}::text`]

  const required = query.clauses.flatMap((clause) => (clause.length === 1 ? clause : []))
  if (required.length > 0) conditions.push(`tokens @> ${parameter(required)}::integer[]`)
  for (const clause of query.clauses)
    if (clause.length > 1) conditions.push(`tokens && ${parameter(clause)}::integer[]`)
  if (query.noneOf.length > 0) conditions.push(`not (tokens && ${parameter(query.noneOf)}::integer[])`)

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
export function isUnanswerable(query: StoreQuery): boolean {
  return query.clauses.some((clause) => clause.length === 0)
}

function isoMoment(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
