import type { Client, Queryable } from '../../../foundation/db/pool.ts'
import type { LedgerRow } from '../check-queries.ts'
import type { PackedEntries, PeriodKey, PeriodSum } from './packed-entries.ts'

/** Which entries are packed. */
export interface PackableRange {
  /** Packs periods that began at this time or earlier. */
  startedUntil: Date
  spentBefore: Date
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

/** Adds entries that the same transaction packs to what the counters of their keys have packed. Locks in the order of charges. */
export async function addPackedOfKeys(client: Client, accountId: number, rows: readonly LedgerRow[]): Promise<void> {
  const byKey = rows.filter((row) => row.key_id !== null)
  if (byKey.length === 0) return
  await client.query(
    `
with packed as materialized (
  select coalesce(k.counter_key_id, k.id) as key_id, e.meter, e.period_start, sum(e.amount)::bigint as amount
  from unnest($2::bigint[], $3::text[], $4::timestamptz[], $5::integer[]) as e (key_id, meter, period_start, amount)
  join api_keys k on k.id = e.key_id
  group by 1, 2, 3
),
locked as materialized (
  select key_id, meter, period_start
  from key_counters
  where account_id = $1::bigint and (key_id, meter, period_start) in (select key_id, meter, period_start from packed)
  order by key_id, meter, period_start
  for no key update
)
update key_counters c
set packed = c.packed + p.amount
from locked l
join packed p using (key_id, meter, period_start)
where c.account_id = $1::bigint and c.key_id = l.key_id and c.meter = l.meter and c.period_start = l.period_start`,
    [
      accountId,
      byKey.map((row) => row.key_id),
      byKey.map((row) => row.meter),
      byKey.map((row) => row.period_start),
      byKey.map((row) => row.amount),
    ],
  )
}
