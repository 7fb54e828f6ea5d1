import type { Client, Queryable } from '../../../foundation/db/pool.ts'
import type { Mode } from '../../../foundation/kernel/ids.ts'
import type { Meter } from '../../accounts/plans.ts'
import type { EntriesAfter } from '../check-queries.ts'

/** The sum of an archive's entries in one period, from `ledger_rollups`. */
interface RollupRow {
  mode: Mode
  meter: Meter
  /** In UTC, ISO 8601. */
  period_start: string
  entries: number
  amount: number
}

export interface ArchiveWithRollupsRow {
  account_id: number
  first_entry: number
  /** Null for roll-ups without an archive. */
  entries: number | null
  sha256: Buffer | null
  /** Null also for a dropped archive. */
  packed: Buffer | null
  rollups: RollupRow[]
}

/** Opens a database cursor over all archives with their roll-ups, for `fetchArchives`. */
export async function openArchivesCursor(client: Client): Promise<void> {
  await client.query(`
declare archives no scroll cursor for
select account_id, first_entry, a.entries, a.sha256, a.packed, coalesce(r.rollups, '[]') as rollups
from ledger_archives a
full join (
  select account_id, first_entry,
         json_agg(json_build_object('mode', mode, 'meter', meter, 'period_start', period_start, 'entries', entries,
                                    'amount', amount)
                  order by mode, meter, period_start) as rollups
  from ledger_rollups
  group by account_id, first_entry) r using (account_id, first_entry)`)
}

/** The next archives; empty at the end. */
export async function fetchArchives(client: Client): Promise<ArchiveWithRollupsRow[]> {
  const { rows } = await client.query<ArchiveWithRollupsRow>('fetch forward 50 from archives')
  return rows
}

export interface ArchiveRow {
  account_id: number
  first_entry: number
  last_entry: number
  entries: number
  first_spent_at: Date
  last_spent_at: Date
  sha256: Buffer
  packed: Buffer
}

const archiveColumns = `account_id, first_entry, last_entry, entries, first_spent_at, last_spent_at, sha256, packed`

/**
 * The archives of an account after the one of `firstEntry` that hold entries of a range with numbers above `after`, in order,
 * without dropped ones.
 */
export async function selectArchivesAfter(
  db: Queryable,
  query: EntriesAfter & { firstEntry: number; limit: number },
): Promise<ArchiveRow[]> {
  const { rows } = await db.query<ArchiveRow>(
    `
select ${archiveColumns}
from ledger_archives
where account_id = $1::bigint and first_entry > $2::bigint and packed is not null
  and ($3::timestamptz is null or last_spent_at >= $3::timestamptz)
  and ($4::timestamptz is null or first_spent_at < $4::timestamptz) and last_entry > $5::bigint
order by first_entry
limit $6::integer`,
    [query.accountId, query.firstEntry, query.range.since ?? null, query.range.until ?? null, query.after, query.limit],
  )
  return rows
}

export interface ArchiveKey {
  account_id: number
  first_entry: number
}

/** Counts the archives, and their entries, whose entries were all spent before a given time; null for all. */
export async function countArchives(
  db: Queryable,
  spentBefore: Date | null,
): Promise<{ archives: number; entries: number }> {
  const { rows } = await db.query<{ archives: number; entries: number }>(
    `
select count(*) as archives, coalesce(sum(entries), 0)::bigint as entries
from ledger_archives
where packed is not null and ($1::timestamptz is null or last_spent_at < $1::timestamptz)`,
    [spentBefore],
  )
  return rows[0]!
}

/** The archives of all accounts after the given one whose entries were all spent before a given time, in order. */
export async function selectArchivesBefore(
  db: Queryable,
  query: { after: ArchiveKey; spentBefore: Date | null; limit: number },
): Promise<ArchiveRow[]> {
  const { rows } = await db.query<ArchiveRow>(
    `
select ${archiveColumns}
from ledger_archives
where (account_id, first_entry) > ($1::bigint, $2::bigint) and packed is not null
  and ($3::timestamptz is null or last_spent_at < $3::timestamptz)
order by account_id, first_entry
limit $4::integer`,
    [query.after.account_id, query.after.first_entry, query.spentBefore, query.limit],
  )
  return rows
}

/** Deletes the content of archives of one account; sums and digests stay. Returns how many had content. */
export async function dropArchiveContents(
  db: Queryable,
  accountId: number,
  firstEntries: readonly number[],
): Promise<number> {
  const { rowCount } = await db.query(
    `
update ledger_archives
set packed = null
where account_id = $1::bigint and first_entry = any ($2::bigint[]) and packed is not null`,
    [accountId, firstEntries],
  )
  return rowCount ?? 0
}
