import type { Meter } from '../../accounts/plans.ts'
import type { Client, Queryable } from '../../db/pool.ts'
import type { Mode } from '../../kernel/ids.ts'
import type { LedgerRange } from '../ledger-queries.ts'

/** What entries of an archive add up to in one period, as the roll-ups have it. */
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
  /** Null where there are roll-ups without an archive. */
  entries: number | null
  sha256: Buffer | null
  /** Null for one that was dropped as well. */
  packed: Buffer | null
  rollups: RollupRow[]
}

/** Opens a cursor over all archives with their roll-ups, for `fetchArchives`. */
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

/** The next of them; none at the end. */
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

/** Archives of an account that hold entries of a range, after one of them, in order. Dropped ones are left out. */
export async function selectArchivesAfter(
  db: Queryable,
  wanted: { accountId: number; firstEntry: number; range: LedgerRange; limit: number },
): Promise<ArchiveRow[]> {
  const { rows } = await db.query<ArchiveRow>(
    `
select ${archiveColumns}
from ledger_archives
where account_id = $1::bigint and first_entry > $2::bigint and packed is not null
  and ($3::timestamptz is null or last_spent_at >= $3::timestamptz)
  and ($4::timestamptz is null or first_spent_at < $4::timestamptz)
order by first_entry
limit $5::integer`,
    [wanted.accountId, wanted.firstEntry, wanted.range.since ?? null, wanted.range.until ?? null, wanted.limit],
  )
  return rows
}

export interface ArchiveKey {
  account_id: number
  first_entry: number
}

/** How many archives there are whose entries were all spent before a moment, and how many entries they hold. */
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

/** Archives of all accounts whose entries were all spent before a moment, after one of them, in order. */
export async function selectArchivesBefore(
  db: Queryable,
  wanted: { after: ArchiveKey; spentBefore: Date | null; limit: number },
): Promise<ArchiveRow[]> {
  const { rows } = await db.query<ArchiveRow>(
    `
select ${archiveColumns}
from ledger_archives
where (account_id, first_entry) > ($1::bigint, $2::bigint) and packed is not null
  and ($3::timestamptz is null or last_spent_at < $3::timestamptz)
order by account_id, first_entry
limit $4::integer`,
    [wanted.after.account_id, wanted.after.first_entry, wanted.spentBefore, wanted.limit],
  )
  return rows
}

/** Drops what archives of one account hold; their sums and digests stay. Answers how many still held something. */
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
