import type { Client, Queryable } from '../../db/pool.ts'
import type { Mode } from '../../kernel/ids.ts'
import type { LedgerRow } from '../ledger-queries.ts'
import type { PackedEntries, PeriodKey, PeriodSum } from './packed-entries.ts'

// Any fixed number that nothing else locks.
const closingLock = 7_305_111_229

/** Takes the session lock for closing; false if another session holds it. */
export async function tryLockClosing(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ is_locked: boolean }>('select pg_try_advisory_lock($1::bigint) as is_locked', [
    closingLock,
  ])
  return rows[0]!.is_locked
}

/** Releases the lock before the session ends. */
export async function unlockClosing(db: Queryable): Promise<void> {
  await db.query('select pg_advisory_unlock($1::bigint)', [closingLock])
}

/** The database's clock, to compare with that of the process. */
export async function readDatabaseClock(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now')
  return rows[0]!.now
}

/** The newest clock reading at `until` or earlier; null if there is none. */
export async function readClockReading(db: Queryable, until: Date): Promise<Date | null> {
  const { rows } = await db.query<{ read_at: Date | null }>(
    'select max(read_at) as read_at from clock_readings where read_at <= $1::timestamptz',
    [until],
  )
  return rows[0]!.read_at
}

/** Stores a clock reading and deletes those outside `keep.from` to `keep.to`. */
export async function writeClockReading(
  client: Client,
  readAt: Date,
  keep: { from: Date | null; to: Date },
): Promise<void> {
  await client.query('delete from clock_readings where read_at < $1::timestamptz or read_at > $2::timestamptz', [
    keep.from,
    keep.to,
  ])
  await client.query('insert into clock_readings (read_at) values ($1::timestamptz) on conflict do nothing', [readAt])
}

/** Accounts after the given one with unpacked entries in periods that began at `startedUntil` or earlier. */
export async function selectUnpackedAccounts(
  db: Queryable,
  query: { afterAccount: number; startedUntil: Date; limit: number },
): Promise<number[]> {
  const { rows } = await db.query<{ account_id: number }>(
    `
select distinct account_id
from usage_counters c
where account_id > $1::bigint and period_start <= $2::timestamptz
  and used > coalesce((select sum(amount)
                       from ledger_rollups r
                       where r.account_id = c.account_id and r.mode = c.mode and r.meter = c.meter
                         and r.period_start = c.period_start), 0)
order by account_id
limit $3::integer`,
    [query.afterAccount, query.startedUntil, query.limit],
  )
  return rows.map((row) => row.account_id)
}

export interface UnpackedPeriod extends PeriodKey {
  /** The sum of its entries outside archives. */
  unpacked: number
}

/** The periods of an account with unpacked entries. */
export async function selectUnpackedPeriods(
  db: Queryable,
  accountId: number,
  startedUntil: Date,
): Promise<UnpackedPeriod[]> {
  const { rows } = await db.query<UnpackedPeriod>(
    `
select mode, meter, period_start, used - packed as unpacked
from (
  select c.mode, c.meter, c.period_start, c.used,
         coalesce((select sum(amount)::bigint
                   from ledger_rollups r
                   where r.account_id = c.account_id and r.mode = c.mode and r.meter = c.meter
                     and r.period_start = c.period_start), 0) as packed
  from usage_counters c
  where account_id = $1::bigint and period_start <= $2::timestamptz
) periods
where used > packed`,
    [accountId, startedUntil],
  )
  return rows
}

/**
 * Deletes entries that the same transaction packs; returns how many existed. `entries` are ascending: the bounds limit the
 * scan to a part of the index, even with stale statistics.
 */
export async function deleteLedgerEntries(
  client: Client,
  accountId: number,
  entries: readonly number[],
): Promise<number> {
  const { rowCount } = await client.query(
    `
delete from ledger
where account_id = $1::bigint and entry between $2::bigint and $3::bigint and entry = any ($4::bigint[])`,
    [accountId, entries[0], entries.at(-1), entries],
  )
  return rowCount ?? 0
}

/** Writes entries as an archive. `rows` are ordered by entry and not empty. */
export async function insertArchive(
  client: Client,
  archive: { accountId: number; rows: readonly LedgerRow[]; packedAt: Date } & PackedEntries,
): Promise<void> {
  const { accountId, rows, packedAt, sha256, packed } = archive
  const spentAt = rows.map((row) => row.spent_at.getTime())
  await client.query(
    `
insert into ledger_archives
  (account_id, first_entry, last_entry, entries, first_spent_at, last_spent_at, packed_at, sha256, packed)
values ($1::bigint, $2::bigint, $3::bigint, $4::integer, $5::timestamptz, $6::timestamptz, $7::timestamptz, $8::bytea,
        $9::bytea)`,
    [
      accountId,
      rows[0]!.entry,
      rows.at(-1)!.entry,
      rows.length,
      new Date(Math.min(...spentAt)),
      new Date(Math.max(...spentAt)),
      packedAt,
      sha256,
      packed,
    ],
  )
}

export async function insertRollups(
  client: Client,
  accountId: number,
  firstEntry: number,
  sums: readonly PeriodSum[],
): Promise<void> {
  await client.query(
    `
insert into ledger_rollups (account_id, first_entry, mode, meter, period_start, entries, amount)
select $1::bigint, $2::bigint, mode, meter, period_start, entries, amount
from unnest($3::text[], $4::text[], $5::timestamptz[], $6::integer[], $7::bigint[])
  as sums (mode, meter, period_start, entries, amount)`,
    [
      accountId,
      firstEntry,
      sums.map((sum) => sum.mode),
      sums.map((sum) => sum.meter),
      sums.map((sum) => sum.period_start),
      sums.map((sum) => sum.entries),
      sums.map((sum) => sum.amount),
    ],
  )
}

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
const isClosable = `
meter = 'store_exports' and period_start <= $2::timestamptz
and used > coalesce((select stores
                     from export_rollups r
                     where r.account_id = c.account_id and r.mode = c.mode and r.period_start = c.period_start), 0)
and (period_start <= $3::timestamptz
     or exists (select
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

/** Counts what closing would pack and drop at most. */
export async function countClosable(
  client: Client,
  ranges: { entries: PackableRange; exports: ExportRange },
): Promise<{ entries: number; exports: number }> {
  const entries = await client.query<{ count: number }>(
    'select count(*) as count from ledger where period_start <= $1::timestamptz and spent_at < $2::timestamptz',
    [ranges.entries.startedUntil, ranges.entries.spentBefore],
  )
  const exports = await client.query<{ count: number }>(
    `
select count(*) as count
from store_exports e
join usage_counters c using (account_id, mode, period_start)
where c.account_id > $1::bigint and ${isClosable}`,
    [0, ranges.exports.startedUntil, ranges.exports.newestStartedUntil],
  )
  return { entries: entries.rows[0]!.count, exports: exports.rows[0]!.count }
}

export interface PackableRange {
  /** Packs periods that began at this time or earlier. */
  startedUntil: Date
  spentBefore: Date
}
