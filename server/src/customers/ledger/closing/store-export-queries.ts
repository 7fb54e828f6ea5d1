import type { Queryable } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'

/** The exports of one account and mode in one period. */
export interface ExportPeriod {
  account_id: number
  mode: Mode
  period_start: Date
}

export interface ExportRange {
  /** Periods that began at this time or earlier are over. */
  startedUntil: Date
  /** The newest period of an account and mode is kept unless it began at this time or earlier. */
  newestStartedUntil: Date
}

/** The periods, of accounts after the given one, with exports that can be dropped. */
export async function selectClosableExports(
  db: Queryable,
  query: { afterAccount: number; range: ExportRange; limit: number },
): Promise<ExportPeriod[]> {
  const { rows } = await db.query<ExportPeriod>(
    `
with chosen as (
  select distinct account_id
  from usage_counters c
  where account_id > $1::bigint and ${isClosable}
  order by account_id
  limit $4::integer
)
select account_id, mode, period_start
from usage_counters c
where account_id in (select account_id from chosen) and ${isClosable}
order by account_id, mode, period_start`,
    [query.afterAccount, query.range.startedUntil, query.range.newestStartedUntil, query.limit],
  )
  return rows
}

/** SQL condition on `usage_counters c`; $2 and $3 are the range. */
export const isClosable = `
meter = 'store_exports' and period_start <= $2::timestamptz
and used > coalesce((select stores
                     from export_rollups r
                     where r.account_id = c.account_id and r.mode = c.mode and r.period_start = c.period_start), 0)
and (period_start <= $3::timestamptz
     or exists (select 1
                from usage_counters newer
                where newer.account_id = c.account_id and newer.mode = c.mode and newer.meter = c.meter
                  and newer.period_start > c.period_start))`

/** Whether the exports of a period, including dropped ones, equal its counter. */
export async function exportsMatchCounter(
  db: Queryable,
  { account_id, mode, period_start }: ExportPeriod,
): Promise<boolean> {
  const { rows } = await db.query<{ balances: boolean }>(
    `
select (select count(*)
        from store_exports
        where account_id = $1::bigint and mode = $2::text and period_start = $3::timestamptz)
     + coalesce((select stores
                 from export_rollups
                 where account_id = $1::bigint and mode = $2::text and period_start = $3::timestamptz), 0)
     = (select used
        from usage_counters
        where account_id = $1::bigint and mode = $2::text and period_start = $3::timestamptz
          and meter = 'store_exports') as balances`,
    [account_id, mode, period_start],
  )
  return rows[0]!.balances
}

/** Drops up to `limit` exports of a period and adds them to its roll-up; returns how many. */
export async function dropExports(
  db: Queryable,
  { account_id, mode, period_start }: ExportPeriod,
  { closedAt, limit }: { closedAt: Date; limit: number },
): Promise<number> {
  const { rows } = await db.query<{ dropped: number }>(
    `
with dropped as (
  delete from store_exports
  where account_id = $1::bigint and mode = $2::text and period_start = $3::timestamptz
    and store_id <= (select max(store_id)
                     from (select store_id
                           from store_exports
                           where account_id = $1::bigint and mode = $2::text and period_start = $3::timestamptz
                           order by store_id
                           limit $5::integer) batch)
  returning store_id
),
counted as (
  select count(*)::integer as stores
  from dropped
),
rolled as (
  insert into export_rollups as r (account_id, mode, period_start, stores, closed_at)
  select $1::bigint, $2::text, $3::timestamptz, stores, $4::timestamptz
  from counted
  where stores > 0
  on conflict (account_id, mode, period_start)
  do update set stores = r.stores + excluded.stores, closed_at = excluded.closed_at
)
select stores as dropped
from counted`,
    [account_id, mode, period_start, closedAt, limit],
  )
  return rows[0]!.dropped
}
