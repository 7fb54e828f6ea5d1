import type { Client, Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'
import type { Meter } from '../accounts/plans.ts'

export interface LedgerRow {
  entry: number
  spent_at: Date
  mode: Mode
  meter: Meter
  amount: number
  period_start: Date
  request_id: string
  /** Who spent: an API key or a person of the console. Both are null for entries of before that was recorded. */
  key_id: number | null
  person_id: number | null
}

export interface LedgerRange {
  /** Spent at this time or later. */
  since?: Date | undefined
  /** Spent before this time. */
  until?: Date | undefined
}

/** The entries of an account with a higher number than `after`. */
export interface EntriesAfter {
  accountId: number
  after: number
  range: LedgerRange
}

/** The entries of an account after the given one, in the order they were written. */
export async function selectEntriesAfter(
  db: Queryable,
  query: { accountId: number; entry: number; range: LedgerRange; limit: number },
): Promise<LedgerRow[]> {
  const { rows } = await db.query<LedgerRow>(
    `
select entry, spent_at, mode, meter, amount, period_start, request_id, key_id, person_id
from ledger
where account_id = $1::bigint and entry > $2::bigint
  and ($3::timestamptz is null or spent_at >= $3::timestamptz)
  and ($4::timestamptz is null or spent_at < $4::timestamptz)
order by entry
limit $5::integer`,
    [query.accountId, query.entry, query.range.since ?? null, query.range.until ?? null, query.limit],
  )
  return rows
}

/** Makes the transaction read one snapshot of the database, with timeouts long enough to add everything up. */
export async function beginSnapshotRead(client: Client): Promise<void> {
  await client.query(`
set transaction isolation level repeatable read, read only;
set local statement_timeout = '60min';
set local idle_in_transaction_session_timeout = '60min'`)
}

export interface LedgerTotals {
  accounts: number
  /** All entries ever written. */
  entries: number
  /** Entries packed in archives, including dropped ones. */
  archived: number
}

export async function readLedgerTotals(client: Client): Promise<LedgerTotals> {
  const { rows } = await client.query<LedgerTotals>(
    `
select accounts, detailed + archived as entries, archived
from (select count(*) as accounts from accounts) a,
     (select count(*) as detailed from ledger) l,
     (select coalesce(sum(entries), 0)::bigint as archived from ledger_archives) p`,
  )
  return rows[0]!
}

export interface LedgerDifferenceRow {
  account_id: number
  mode: Mode
  meter: Meter
  /** Null for a sum over all periods. */
  period_start: Date | null
  /** The key whose counter is compared; null for a counter of the account. */
  key_id: number | null
  /** The sum of the entries; for `reserved` and `key_reserved`, of what running exports say they have reserved. */
  ledger: number
  /** What should equal the sum: the counter, the reveals, the exports, or what the counter has reserved; of a key with `key_`. */
  against: 'counter' | 'reveals' | 'exports' | 'reserved' | 'key_counter' | 'key_reserved'
  recorded: number
}

/** Opens a database cursor over everything that differs from the ledger's sums, for `fetchDifferences`. */
export async function openDifferencesCursor(client: Client): Promise<void> {
  await client.query(`
declare differences no scroll cursor for
with spent as materialized (
  select account_id, mode, meter, period_start, sum(amount)::bigint as amount
  from (select account_id, mode, meter, period_start, amount
        from ledger
        union all
        select account_id, mode, meter, period_start, amount
        from ledger_rollups) entries
  group by account_id, mode, meter, period_start
),
exported as (
  select account_id, mode, period_start, sum(stores)::bigint as stores
  from (select account_id, mode, period_start, count(*) as stores
        from store_exports
        group by account_id, mode, period_start
        union all
        select account_id, mode, period_start, stores
        from export_rollups) exports
  group by account_id, mode, period_start
),
spent_by_key as (
  select l.account_id, coalesce(k.counter_key_id, k.id) as key_id, l.meter, l.period_start, sum(l.amount)::bigint as amount
  from ledger l
  join api_keys k on k.id = l.key_id
  group by 1, 2, 3, 4
),
reserved_amounts as (
  select account_id, mode, key_id, 'store_exports'::text as meter, period_start, reserved_exports as amount
  from exports
  where reserved_exports > 0
  union all
  select account_id, mode, key_id, 'contact_credits', credits_period_start, reserved_credits
  from exports
  where reserved_credits > 0
),
compared as (
  select 'counter' as against, null::bigint as key_id, account_id, mode, meter, period_start,
         coalesce(s.amount, 0) as ledger, coalesce(c.used, 0) as recorded
  from spent s
  full join usage_counters c using (account_id, mode, meter, period_start)
  union all
  select 'reveals', null, account_id, mode, 'contact_credits', null, coalesce(s.amount, 0), coalesce(r.contacts, 0)
  from (select account_id, mode, sum(amount)::bigint as amount
        from spent
        where meter = 'contact_credits'
        group by account_id, mode) s
  full join (select account_id, mode, count(*) as contacts
             from reveals
             group by account_id, mode) r using (account_id, mode)
  union all
  select 'exports', null, account_id, mode, 'store_exports', period_start, coalesce(s.amount, 0), coalesce(e.stores, 0)
  from (select account_id, mode, period_start, amount
        from spent
        where meter = 'store_exports') s
  full join exported e using (account_id, mode, period_start)
  union all
  select 'reserved', null, account_id, mode, meter, period_start, coalesce(x.amount, 0), coalesce(c.reserved, 0)
  from (select account_id, mode, meter, period_start, sum(amount)::bigint as amount
        from reserved_amounts
        group by account_id, mode, meter, period_start) x
  full join (select account_id, mode, meter, period_start, reserved
             from usage_counters
             where reserved > 0) c using (account_id, mode, meter, period_start)
  union all
  -- What is packed has no entries any more that name the key.
  select 'key_counter', key_id, account_id, k.mode, meter, period_start, coalesce(s.amount, 0) + coalesce(c.packed, 0),
         coalesce(c.used, 0)
  from spent_by_key s
  full join key_counters c using (account_id, key_id, meter, period_start)
  join (select id, mode from api_keys) k on k.id = key_id
  union all
  select 'key_reserved', key_id, account_id, k.mode, meter, period_start, coalesce(x.amount, 0), coalesce(c.reserved, 0)
  from (select r.account_id, coalesce(k.counter_key_id, k.id) as key_id, r.meter, r.period_start,
               sum(r.amount)::bigint as amount
        from reserved_amounts r
        join api_keys k on k.id = r.key_id
        group by 1, 2, 3, 4) x
  full join (select account_id, key_id, meter, period_start, reserved
             from key_counters
             where reserved > 0) c using (account_id, key_id, meter, period_start)
  join (select id, mode from api_keys) k on k.id = key_id
)
select account_id, key_id, mode, meter, period_start, ledger, against, recorded
from compared
where ledger <> recorded
order by account_id, mode, meter, period_start, against, key_id`)
}

/** The next differences; empty at the end. */
export async function fetchDifferences(client: Client): Promise<LedgerDifferenceRow[]> {
  const { rows } = await client.query<LedgerDifferenceRow>('fetch forward 1000 from differences')
  return rows
}
