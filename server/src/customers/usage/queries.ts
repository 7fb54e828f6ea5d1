import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { ListPosition } from '../../foundation/kernel/list-pages.ts'
import type { Meter } from '../accounts/plans.ts'
import type { LedgerRow } from '../ledger/check-queries.ts'
import type { LedgerFilters } from './parameters.ts'

/** The subject of a series of daily usage. */
export type SeriesKind = 'meter' | 'key' | 'person' | 'keys' | 'people' | 'unknown' | 'others'

export interface SeriesRow {
  meter: Meter
  kind: SeriesKind
  /** Of the key or the user; null for other kinds. */
  id: number | null
  days: { day: string; amount: number }[]
}

export interface DailyUsageRange {
  accountId: number
  mode: Mode
  since: Date
  until: Date
}

const seriesColumns = {
  meter: `'meter' as kind, null::bigint as id`,
  key: `case when key_id is not null then 'key' when person_id is not null then 'people' else 'unknown' end as kind,
         key_id as id`,
  person: `case when person_id is not null then 'person' when key_id is not null then 'keys' else 'unknown' end as kind,
         person_id as id`,
}

/**
 * What was spent on each UTC day, days without anything left out. Of each meter, the `named` series with the largest sums
 * come first; all others are added up in one of kind `others`.
 */
export async function selectDailyUsage(
  db: Queryable,
  by: keyof typeof seriesColumns,
  { accountId, mode, since, until, named }: DailyUsageRange & { named: number },
): Promise<SeriesRow[]> {
  const { rows } = await db.query<SeriesRow>(
    `
with spent as (
  select meter, ${seriesColumns[by]},
         (spent_at at time zone 'UTC')::date as day, sum(amount) as amount
  from ledger
  where account_id = $1::bigint and mode = $2::text and spent_at >= $3::timestamptz and spent_at < $4::timestamptz
  group by 1, 2, 3, 4
),
totalled as (select *, sum(amount) over (partition by meter, kind, id) as total from spent),
ranked as (select *, dense_rank() over (partition by meter order by total desc, kind, id) as rank from totalled),
series as (
  select meter, least(rank, $5::integer + 1) as rank, day, sum(amount) as amount,
         case when rank <= $5::integer then kind else 'others' end as kind,
         case when rank <= $5::integer then id end as id
  from ranked
  group by 1, 2, 3, 5, 6
)
select meter, kind, id, json_agg(json_build_object('day', day, 'amount', amount) order by day) as days
from series
group by meter, rank, kind, id
order by meter, rank`,
    [accountId, mode, since, until, named],
  )
  return rows
}

export interface LedgerPage extends LedgerFilters {
  accountId: number
  mode: Mode
  meter: Meter | undefined
  after: ListPosition | null
  limit: number
}

/** The entries of an account that are not packed, newest first. */
export async function selectNewestEntries(db: Queryable, page: LedgerPage): Promise<LedgerRow[]> {
  const { rows } = await db.query<LedgerRow>(
    `
select entry, spent_at, mode, meter, amount, period_start, request_id, key_id, person_id
from ledger
where account_id = $1::bigint and mode = $2::text
  and spent_at >= coalesce($3::timestamptz, '-infinity')
  and (spent_at, entry) < (coalesce($4::timestamptz, 'infinity'), $5::bigint)
  and ($6::text is null or meter = $6::text)
  and ($7::bigint is null or key_id = $7::bigint)
  and ($8::bigint is null or person_id = $8::bigint)
order by spent_at desc, entry desc
limit $9::integer`,
    [
      page.accountId,
      page.mode,
      page.since ?? null,
      // One upper bound, where the index scan begins: everything after a position is before `until`, too.
      page.after?.at ?? page.until ?? null,
      page.after?.row ?? 0,
      page.meter ?? null,
      page.keyId,
      page.userId,
      page.limit,
    ],
  )
  return rows
}

interface NameRow {
  id: number
  name: string
}

/** The names of keys of an account, by id. */
export async function selectKeyNames(
  db: Queryable,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await db.query<NameRow>(
    'select id, name from api_keys where account_id = $1::bigint and id = any ($2::bigint[])',
    [accountId, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The names of people, by id. */
export async function selectUserNames(db: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await db.query<NameRow>('select id, name from people where id = any ($1::bigint[])', [ids])
  return new Map(rows.map(({ id, name }) => [id, name]))
}
