import type { Queryable } from '../../foundation/db/pool.ts'
import type { Mode } from '../../foundation/kernel/ids.ts'

export interface AccountMode {
  accountId: number
  mode: Mode
}

/** What to read of records that an account only ever adds to. */
export interface RecordsQuery extends AccountMode {
  /** The meter when the records were read last: if it still says so, none is read. */
  knownCount: number
  /** Only records of this time or later; null for all. */
  since: Date | null
}

export interface Records {
  /** The meter now. */
  counted: number
  /** By ascending time. `ids` are separated by commas. */
  groups: { at: Date; ids: string }[]
}

interface RecordsRow {
  counted: number
  at: Date | null
  ids: string | null
}

/** The stores exported in a period, unless their number is the known one; of one state of the database. */
export async function readExportRecords(db: Queryable, query: RecordsQuery & { periodStart: Date }): Promise<Records> {
  const { rows } = await db.query<RecordsRow>({
    name: 'read_export_records',
    text: `
with meter as (
  select coalesce(sum(used), 0)::bigint as counted
  from usage_counters
  where account_id = $1::bigint and mode = $2::text and meter = 'store_exports' and period_start = $5::timestamptz
)
select meter.counted, exported.at, exported.ids
from meter
left join lateral (
  select exported_at as at, string_agg(store_id::text, ',') as ids
  from store_exports
  where meter.counted <> $3::bigint
    and account_id = $1::bigint and mode = $2::text and period_start = $5::timestamptz
    and exported_at >= $4::timestamptz
  group by exported_at
) exported on true
order by exported.at`,
    values: [...recordsValues(query), query.periodStart],
  })
  return recordsOf(rows)
}

/** The contacts that an account has revealed, unless their number is the known one; of one state of the database. */
export async function readRevealRecords(db: Queryable, query: RecordsQuery): Promise<Records> {
  const { rows } = await db.query<RecordsRow>({
    name: 'read_reveal_records',
    text: `
with meter as (
  select coalesce(sum(used), 0)::bigint as counted
  from usage_counters
  where account_id = $1::bigint and mode = $2::text and meter = 'contact_credits'
)
select meter.counted, revealed.at, revealed.ids
from meter
left join lateral (
  select revealed_at as at, string_agg(contact_id::text, ',') as ids
  from reveals
  where meter.counted <> $3::bigint
    and account_id = $1::bigint and mode = $2::text
    and revealed_at >= $4::timestamptz
  group by revealed_at
) revealed on true
order by revealed.at`,
    values: recordsValues(query),
  })
  return recordsOf(rows)
}

function recordsValues({ accountId, mode, knownCount, since }: RecordsQuery): unknown[] {
  return [accountId, mode, knownCount, since ?? '-infinity']
}

function recordsOf(rows: RecordsRow[]): Records {
  const groups = rows.flatMap(({ at, ids }) => (at && ids !== null ? [{ at, ids }] : []))
  return { counted: rows[0]!.counted, groups }
}

/** The newest period with exports that began at this time or before, but after `notBefore`. */
export async function readExportPeriod(
  db: Queryable,
  query: AccountMode & { at: Date; notBefore: Date },
): Promise<Date | null> {
  const { rows } = await db.query<{ period_start: Date | null }>({
    name: 'read_export_period',
    text: `
select max(period_start) as period_start
from usage_counters
where account_id = $1::bigint and mode = $2::text and meter = 'store_exports'
  and period_start <= $3::timestamptz and period_start > $4::timestamptz`,
    values: [query.accountId, query.mode, query.at, query.notBefore],
  })
  return rows[0]!.period_start
}

export interface ExcludedListRow {
  id: number
  kind: 'stores' | 'contacts'
  /** Changes whenever the members do. */
  version: string
  /** Ids of stores or keys of contacts, separated by commas; null if the version is the known one. */
  members: string | null
}

/** The lists of an account among the ids, with the members of those whose version is not the known one. */
export async function readExcludedLists(
  db: Queryable,
  query: AccountMode & { listIds: number[]; knownVersions: string[] },
): Promise<ExcludedListRow[]> {
  const { rows } = await db.query<ExcludedListRow>({
    name: 'read_lists_to_exclude',
    text: `
select list.id, list.kind, list.version,
       case when list.version = requested.version then null
            else coalesce(case list.kind
              when 'stores' then (select string_agg(store_id::text, ',')
                                  from list_stores
                                  where account_id = $1::bigint and list_id = list.id)
              else (select string_agg(contact_id::text, ',')
                    from list_contacts
                    where account_id = $1::bigint and list_id = list.id)
            end, '') end as members
from unnest($3::bigint[], $4::text[]) as requested (id, version)
join (
  select id, kind, concat_ws(' ', extract(epoch from updated_at), items, pending) as version
  from lists
  where account_id = $1::bigint and mode = $2::text and id = any ($3::bigint[])
) list on list.id = requested.id`,
    values: [query.accountId, query.mode, query.listIds, query.knownVersions],
  })
  return rows
}
