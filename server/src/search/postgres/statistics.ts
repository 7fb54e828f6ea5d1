import type { Queryable } from '../../db/pool.ts'

const refreshAfterMs = 60_000

/** What PostgreSQL knows of the catalogue, read again now and then. Nobody waits for it but the first. */
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
    // A failure leaves what was known; the search that comes next meets the same trouble, and tells.
    reading.then(
      () => settle(reading),
      () => settle(before),
    )
  }
}

/** Columns of `stores` that a search can ask a range of. */
export type RangeColumn = 'active_ads' | 'created_estimate' | 'first_discovered_at'

/** What PostgreSQL knows of the values of such a column. */
interface RangeStatistics {
  /** Of all stores, those with a value. */
  share: number
  /** Values that many stores have, and the share of all stores that has each. */
  commonValues: number[]
  commonShares: number[]
  /** Between one of these and the next lie equally many of the other values. */
  bounds: number[]
}

interface StatisticsRow {
  stores: number
  tokens: number[] | null
  /** Those of the tokens, in their order, and after them the least, the greatest, and that of no token. */
  token_shares: number[] | null
  ranges: Record<RangeColumn, RangeStatistics> | null
}

/** How many stores there are and which share of them has what, roughly: good enough to choose a way, not to answer with. */
export class CatalogueStatistics {
  readonly stores: number
  readonly #tokenShares: Map<number, number>
  /** A token that is not among the common ones: less than the rarest of those. */
  readonly #rareShare: number
  readonly #ranges: StatisticsRow['ranges']

  constructor({ stores, tokens, token_shares, ranges }: StatisticsRow) {
    this.stores = Math.max(0, stores)
    this.#tokenShares = new Map(tokens?.map((token, index) => [token, token_shares![index]!]))
    this.#rareShare = (token_shares?.at(-3) ?? 0) / 2
    this.#ranges = ranges
  }

  /** The same tokens, those that most stores have first. PostgreSQL compares one by one and stops at the first that is found. */
  commonFirst(tokens: readonly number[]): number[] {
    return [...tokens].sort((a, b) => this.#shareOf(b) - this.#shareOf(a))
  }

  /** Share of the stores with at least one of the tokens, as if they had nothing to do with each other. */
  shareOfAny(tokens: readonly number[]): number {
    return 1 - tokens.reduce((rest, token) => rest * (1 - this.#shareOf(token)), 1)
  }

  /** Share of the stores with a value from one bound to the other, both inclusive. */
  shareBetween(column: RangeColumn, from: number, to: number): number {
    const range = this.#ranges?.[column]
    if (!range) return 1
    const { share, commonValues, commonShares, bounds } = range
    let within = 0
    let common = 0
    for (const [index, value] of commonValues.entries()) {
      common += commonShares[index]!
      if (value >= from && value <= to) within += commonShares[index]!
    }
    return within + Math.max(0, share - common) * (rankIn(bounds, to) - rankIn(bounds, from))
  }

  #shareOf(token: number): number {
    return this.#tokenShares.get(token) ?? this.#rareShare
  }
}

/** The share of values below this one, 0 to 1, where between each bound and the next lie equally many. */
function rankIn(bounds: number[], value: number): number {
  const next = bounds.findIndex((bound) => bound > value)
  if (next === 0 || bounds.length < 2) return 0
  if (next < 0) return 1
  const [low, high] = [bounds[next - 1]!, bounds[next]!]
  return (next - 1 + (value - low) / (high - low)) / (bounds.length - 1)
}

/** What PostgreSQL has gathered about `stores`, when it last analysed it. */
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
