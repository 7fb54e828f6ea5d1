import type { Client, Queryable } from '../../../foundation/db/pool.ts'
import type { PackableRange } from './packing-queries.ts'
import { type ExportRange, isClosable } from './store-export-queries.ts'

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
