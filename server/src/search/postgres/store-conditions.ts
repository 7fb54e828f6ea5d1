import type { MomentRange, StoreQuery } from '@storedex/search-index'

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

/** What rows of `stores` have to meet: at least one token of each clause. */
export function clauseConditions(clauses: readonly number[][], parameter: AddParameter): string[] {
  const required = clauses.flatMap((clause) => (clause.length === 1 ? clause : []))
  const lists = clauses.filter((clause) => clause.length > 1)
  return [
    ...(required.length > 0 ? [`tokens @> ${parameter(required)}::integer[]`] : []),
    ...lists.map((clause) => `${parameter(clause)}::integer[] && tokens`),
  ]
}

/** Not one of the tokens. */
export function exclusionConditions(noneOf: readonly number[], parameter: AddParameter): string[] {
  return noneOf.length > 0 ? [`not (${parameter(noneOf)}::integer[] && tokens)`] : []
}

/** A value within each range that is asked for. */
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

/** Whether a clause is empty, which no store meets: nothing needs to be asked. */
export function isUnanswerable(query: StoreQuery): boolean {
  return query.clauses.some((clause) => clause.length === 0)
}

function isoMoment(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
