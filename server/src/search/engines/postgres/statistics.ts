import type { Queryable } from '../../../foundation/db/pool.ts'

const refreshAfterMs = 60_000

/** PostgreSQL's statistics of the catalogue, refreshed in the background. Only the first search waits for them. */
export class StatisticsCache {
  readonly #db: Queryable
  #current: Promise<CatalogueStatistics> | null = null
  #readAt = 0

  constructor(db: Queryable) {
    this.#db = db
  }

  current(): Promise<CatalogueStatistics> {
    if (!this.#current || performance.now() - this.#readAt > refreshAfterMs) this.#refresh()
    return this.#current!
  }

  #refresh(): void {
    const before = this.#current
    this.#readAt = performance.now()
    const reading = readStatistics(this.#db)
    const settle = (current: Promise<CatalogueStatistics> | null) => {
      this.#current = current
    }
    if (!before) this.#current = reading
    // After a failure the old statistics stay; the next search reports the problem.
    reading.then(
      () => settle(reading),
      () => settle(before),
    )
  }
}

/** Columns of `stores` that can be filtered by range. */
export type RangeColumnName = 'active_ads' | 'created_estimate' | 'first_discovered_at'

/** Statistics of such a column. */
interface RangeStatistics {
  /** Share of stores with a value. */
  share: number
  /** The most common values, and the share of stores that have each. */
  commonValues: number[]
  commonShares: number[]
  /** Histogram bounds of the other values: equally many lie between two neighbours. */
  bounds: number[]
}

interface StatisticsRow {
  stores: number
  tokens: number[] | null
  /** Shares of the tokens in their order, then the minimum, the maximum and the share of null elements. */
  token_shares: number[] | null
  ranges: Record<RangeColumnName, RangeStatistics> | null
}

/** Estimates of how many stores there are and which share meets a condition; used only to choose a plan. */
export class CatalogueStatistics {
  readonly stores: number
  readonly #tokenShares: Map<number, number>
  /** Assumed share of a token outside the common ones. */
  readonly #rareShare: number
  readonly #ranges: StatisticsRow['ranges']

  constructor({ stores, tokens, token_shares, ranges }: StatisticsRow) {
    this.stores = Math.max(0, stores)
    this.#tokenShares = new Map(tokens?.map((token, index) => [token, token_shares![index]!]))
    this.#rareShare = (token_shares?.at(-3) ?? 0) / 2
    this.#ranges = ranges
  }

  /** The tokens, most common first: PostgreSQL compares one by one and stops at the first match. */
  commonFirst(tokens: readonly number[]): number[] {
    return [...tokens].sort((a, b) => this.#shareOf(b) - this.#shareOf(a))
  }

  /** Share of stores with at least one of the tokens, assuming independence. */
  shareOfAny(tokens: readonly number[]): number {
    return 1 - tokens.reduce((rest, token) => rest * (1 - this.#shareOf(token)), 1)
  }

  /** Share of the stores with a value from one bound to the other, both inclusive. */
  shareBetween(column: RangeColumnName, from: number, to: number): number {
    const range = this.#ranges?.[column]
    if (!range) return 1
    const { share, commonValues, commonShares, bounds } = range
    let within = 0
    let common = 0
    for (const [index, value] of commonValues.entries()) {
      common += commonShares[index]!
      if (value >= from && value <= to) within += commonShares[index]!
    }
    return within + Math.max(0, share - common) * (shareBelow(bounds, to) - shareBelow(bounds, from))
  }

  #shareOf(token: number): number {
    return this.#tokenShares.get(token) ?? this.#rareShare
  }
}

/** The share of values below `value`, by histogram bounds with equally many values between neighbours. */
function shareBelow(bounds: number[], value: number): number {
  const next = bounds.findIndex((bound) => bound > value)
  if (next === 0 || bounds.length < 2) return 0
  if (next < 0) return 1
  const [low, high] = [bounds[next - 1]!, bounds[next]!]
  return (next - 1 + (value - low) / (high - low)) / (bounds.length - 1)
}

/** Reads the statistics of the last ANALYZE of `stores`. */
export async function readStatistics(db: Queryable): Promise<CatalogueStatistics> {
  const { rows } = await db.query<StatisticsRow>(`
    with gathered as materialized (
      select * from pg_stats where schemaname = current_schema() and tablename = 'stores' and not inherited
    ), ranges as (
      select attname, null_frac, most_common_freqs,
        most_common_vals::text::integer[] as common, histogram_bounds::text::integer[] as bounds
      from gathered where attname = 'active_ads'
      union all
      select attname, null_frac, most_common_freqs,
        (select array_agg(1000 * extract(epoch from value)) from unnest(most_common_vals::text::timestamptz[]) value),
        (select array_agg(1000 * extract(epoch from value)) from unnest(histogram_bounds::text::timestamptz[]) value)
      from gathered where attname in ('created_estimate', 'first_discovered_at')
    )
    select c.reltuples as stores, t.tokens, t.token_shares, r.ranges
    from pg_class c
    left join (
      select most_common_elems::text::integer[] as tokens, most_common_elem_freqs as token_shares
      from gathered where attname = 'tokens'
    ) t on true
    left join (
      select json_object_agg(attname, json_build_object('share', 1 - null_frac, 'commonValues', coalesce(common, '{}'),
        'commonShares', coalesce(most_common_freqs, '{}'), 'bounds', coalesce(bounds, '{}'))) as ranges
      from ranges
    ) r on true
    where c.oid = 'stores'::regclass`)
  return new CatalogueStatistics(rows[0]!)
}
