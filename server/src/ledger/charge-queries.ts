/**
 * The statement that admits requests of an account and charges them. It is one text for each combination of what they need
 * (`ChargeParts`), all of them in `server/test/ledger/golden`. What it writes, it writes only if everything fits: the windows, then
 * what the meters have left, by the state in which it began. If something else was paid meanwhile, so that a meter would exceed
 * its allowance after all, a check constraint fails it (`isAllowanceExceeded`), and it is sent again.
 *
 * It locks in this order, so that two of them cannot deadlock: the windows, a viewed page, reveals and exports in ascending
 * order, the account's counters by meter, the keys' counters by key and meter, the hour of a person.
 */

import type { Meter } from '../accounts/plans.ts'
import { counterKeySql } from '../auth/budget-queries.ts'
import { violatesConstraint } from '../db/failures.ts'
import type { Queryable } from '../db/pool.ts'
import { isPageOpenSql, isPersonHourOpenSql, viewedRowsAllowance } from './window-queries.ts'

/** The meters in the order in which their counters are locked. */
export const chargedMeters = ['contact_credits', 'search_rows', 'store_exports'] as const satisfies readonly Meter[]

/** `counted` is charged by its amount, `each_once` by how many of its ids are new, `read` only tells what is left. */
type MeterPart = 'counted' | 'each_once' | 'read'

export interface ChargeParts {
  /** Whether the requests are counted in their windows, if account and keys are what the process took them for. */
  admits: boolean
  isAlone: boolean
  /** Whether any of several requests is of a key with a budget of these meters. */
  hasBudgets: boolean
  meters: Partial<Record<Meter, MeterPart>>
  /** Whether what is delivered has to be of the current version of the catalogue. */
  ofCatalogue: boolean
  /** Whether to list which of some contacts are revealed. */
  listsRevealed: boolean
  /** Search rows that a person looks at: `page` of rows, of which those shown within ten minutes are free, or just `rows`. */
  views: 'page' | 'rows' | null
  /** Whether reserved amounts are spent. */
  spendsReserved: boolean
}

/** Values of the named parameters. */
export type ChargeValues = Record<string, unknown>

/** The outcome; columns of parts that a statement lacks are missing. */
export interface ChargeOutcomeRow {
  is_current?: boolean
  /** Whether the requests were counted in their windows. */
  is_admitted: boolean
  is_paid: boolean
  /** The windows, after the requests if they were admitted. */
  minute_started_ms?: number | null
  minute_used?: number | null
  day?: string | null
  day_used?: number | null
  /** The version of the catalogue. */
  version?: string
  /** Contacts that are revealed: `contact milliseconds`, separated by commas; null for none. */
  known?: string | null
  /** Of a view: the rows that it was charged, and the hour of the person before it. */
  rows_charged?: number
  hour_started_at?: Date | null
  hour_rows?: number | null
  /** And for each meter `…_taken`, `…_of_keys`, `…_new` and `…_needed` (`MeterColumns`). */
  [column: string]: unknown
}

/** The columns of a meter. */
export interface MeterColumns {
  /** Used and reserved. */
  taken: number
  /** The same of keys that have a budget: `key taken`, separated by commas; null for none. */
  of_keys: string | null
  /** Ids that are new, separated by commas; null for none. */
  new: string | null
  /** Of a request that was not paid: how much it needs. */
  needed: number | null
}

const allowanceConstraints = [
  'usage_counters_within_allowance',
  'key_counters_within_budget',
  'person_windows_within_allowance',
]

/** Whether a charge failed because a meter would have exceeded its allowance, a budget, or the hour of the person. */
export function isAllowanceExceeded(error: unknown): boolean {
  return violatesConstraint(error, allowanceConstraints)
}

const statements = new Map<string, NumberedStatement>()

export async function sendCharge(db: Queryable, parts: ChargeParts, values: ChargeValues): Promise<ChargeOutcomeRow> {
  const name = nameOfCharge(parts)
  let statement = statements.get(name)
  if (!statement) {
    statement = numberParameters(chargeSql(parts))
    statements.set(name, statement)
  }
  const { rows } = await db.query<ChargeOutcomeRow>({
    name,
    text: statement.text,
    values: statement.names.map((parameter) => values[parameter] ?? null),
  })
  return rows[0]!
}

/** A statement with named parameters, such as `:account_id::bigint`, and the order in which PostgreSQL numbers them. */
interface NumberedStatement {
  /** The text with `$1`, `$2`, …; null stands for a value that none of its parameters has. */
  text: string
  names: readonly string[]
}

export function numberParameters(named: string): NumberedStatement {
  const names: string[] = []
  const text = named.replace(/(?<![:\w]):([a-z_]{1,60})/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text, names }
}

/** Such as `charge_admit_rows_exports`; it also names the prepared statement. */
export function nameOfCharge(parts: ChargeParts): string {
  const { admits, isAlone, hasBudgets, meters, ofCatalogue, listsRevealed, views, spendsReserved } = parts
  let name = 'charge'
  if (admits) name += '_admit'
  if (ofCatalogue) name += '_delivered'
  for (const meter of chargedMeters)
    if (meters[meter]) name += `_${shortNames[meter]}${meters[meter] === 'read' ? '_read' : ''}`
  if (listsRevealed) name += '_revealed'
  if (views) name += views === 'page' ? '_viewed' : '_looked_at'
  if (spendsReserved) name += '_reserved'
  if (!isAlone) name += hasBudgets ? '_several_budgets' : '_several'
  return name
}

const shortNames = { contact_credits: 'credits', search_rows: 'rows', store_exports: 'exports' }

/** The text, with named parameters. */
export function chargeSql(parts: ChargeParts): string {
  const { admits, isAlone, views } = parts
  const meters = chargedMeters.filter((meter) => parts.meters[meter])
  const spent = meters.filter((meter) => parts.meters[meter] !== 'read')
  const once = meters.filter((meter) => parts.meters[meter] === 'each_once')
  const decidesLast = isAlone && once.length > 0
  const ctes = [
    ...(isAlone ? once.map((meter) => newCte(meter)) : []),
    parts.hasBudgets && !isAlone && keysBeforeCte(meters),
    stateCte(parts, meters),
    admits ? admittedCte(parts) : 'admitted as materialized (\n  select 1 as one from state where rows_fit\n)',
    decidesLast && 'paying as materialized (\n  select 1 as one from admitted cross join state where others_fit\n)',
    ...once.map((meter) => insertCte(meter, parts)),
    views === 'page' && pageCte(parts),
    spent.length > 0 && spendsCte(spent, parts),
    spent.length > 0 && settlementCtes(parts),
    views && spent.length > 0 && personRowsCte,
  ].filter((cte) => typeof cte === 'string')
  return `with ${ctes.join(',\n')}\n${answerSql(parts, meters, spent)}`
}

/** What has rows if the charge is paid. A lone request is counted in its windows also if its exports or credits are refused. */
const paying = ({ isAlone, meters }: ChargeParts) =>
  isAlone && Object.values(meters).includes('each_once') ? 'paying' : 'admitted'

/** SQL of a value that each request has. */
const of = (name: string, type: string, isAlone: boolean, request: string) =>
  isAlone ? `:${name}::${type}` : `(:${name}s::${type}[])[${request}]`

/**
 * SQL of the catalogue's version: the number of the newest batch with its history id, which differs after a failover that lost
 * batches. A document read beside it is the one of this version.
 */
export const catalogueVersionSql = `(
  select s.batch || ':' || coalesce((select b.mark from catalogue_batches b where b.batch = s.batch)::text, '')
  from catalogue_state s
  where s.singleton
)`

/** Whether account and keys are what the process took them for. Beside the versions, what must never be wrong is read by itself. */
const isCurrentSql = `exists (
             select 1 from accounts a
             where a.id = :account_id::bigint and hash_record_extended(a, 0) = :account_version::bigint
               and (a.access_open or not :needs_access::boolean))
           and cardinality(:known_keys::bigint[]) = (
             select count(*)
             from unnest(:known_keys::bigint[], :key_versions::bigint[]) as known (id, version)
             join api_keys k on k.id = known.id
             where hash_record_extended(k, 0) = known.version and k.revoked_at is null and k.suspended_at is null)`

/** How many of the ids are new; read only if they might not fit. */
const newCte = (meter: Meter) => `${meter}_new as materialized (
  select count(*)::integer as needed
  from unnest(:${meter}_ids::bigint[]) as wanted (id)
  where not exists (${existingSql(meter, 'wanted.id')})
)`

const existingSql = (meter: Meter, id: string) =>
  meter === 'store_exports'
    ? `
    select 1 from store_exports
    where account_id = :account_id::bigint and mode = :mode::text and period_start = :store_exports_period::timestamptz
      and store_id = ${id}`
    : `
    select 1 from reveals
    where account_id = :account_id::bigint and mode = :mode::text and contact_id = ${id}`

/** Of several requests: what each key with a budget asks for and has taken. */
const keysBeforeCte = (meters: readonly Meter[]) => `keys_before as materialized (
  select i.counter_key_id, i.meter, max(i.budget) as budget, sum(i.asked) as asked, coalesce(max(k.used + k.reserved), 0) as taken
  from (
${meters
  .map(
    (meter) => `    select '${meter}' as meter, :${meter}_period::timestamptz as period_start, asked, budget,
           (:counter_key_ids::bigint[])[request] as counter_key_id
    from unnest(:${meter}_askeds::integer[], :${meter}_budgets::integer[]) with ordinality as each (asked, budget, request)`,
  )
  .join('\n    union all\n')}
  ) i
  left join key_counters k
    on k.account_id = :account_id::bigint and k.key_id = i.counter_key_id and k.meter = i.meter
      and k.period_start = i.period_start
  where i.budget is not null
  group by i.counter_key_id, i.meter
)`

/** One row: what decides, as it was when the statement began, and whether everything fits. */
function stateCte(parts: ChargeParts, meters: readonly Meter[]): string {
  const { admits, isAlone, ofCatalogue, views } = parts
  const columns = [
    ...(admits ? [`${isCurrentSql} as is_current`, 'w.minute_started_at, w.minute_used, w.day, w.day_used'] : []),
    ...(ofCatalogue ? [`${catalogueVersionSql} as version`] : []),
    ...meters.map(
      (meter) => `coalesce((
             select used + reserved from usage_counters
             where account_id = :account_id::bigint and mode = :mode::text and meter = '${meter}'
               and period_start = :${meter}_period::timestamptz), 0) as ${meter}`,
    ),
    ...(isAlone ? meters : []).map(
      (meter) => `case when :${meter}_budget::integer is not null then coalesce((
             select used + reserved from key_counters
             where account_id = :account_id::bigint and key_id = :counter_key_id::bigint and meter = '${meter}'
               and period_start = :${meter}_period::timestamptz), 0) end as ${meter}_of_key`,
    ),
    ...(views ? ['h.started_at as hour_started_at, h.rows_viewed as hour_rows'] : []),
    ...(views === 'page'
      ? [`case when p.row_ids is null then :search_rows_asked::integer else ${newRowsSql} end as rows_needed`]
      : []),
  ]
  const joins = [
    ...(admits ? ['left join request_windows w on w.account_id = :account_id::bigint and w.mode = :mode::text'] : []),
    ...(views
      ? [`left join person_windows h on h.person_id = :person_id::bigint and ${isPersonHourOpenSql('h.started_at')}`]
      : []),
    ...(views === 'page'
      ? [
          `left join viewed_pages p
      on p.account_id = :account_id::bigint and p.mode = :mode::text and p.person_id = :person_id::bigint
        and p.page_hash = :page::bytea and ${isPageOpenSql('p.opened_at')}`,
        ]
      : []),
  ]
  const { rows, others } = fitsSql(parts, meters)
  // The offset keeps the subqueries from being evaluated for each use.
  return `state as materialized (
  select s.*, ${rows} as rows_fit${isAlone ? `,\n         ${others} as others_fit` : ''}
  from (
    select ${columns.join(',\n           ') || 'true as is_read'}
    from (select 1) one${joins.map((join) => `\n    ${join}`).join('')}
    offset 0
  ) s
)`
}

/** Rows that are paid on a page: what was not on it when it was shown last. */
const newRowsSql = `(
             select count(*)::integer from unnest(:row_ids::bigint[]) as shown (id) where id <> all (p.row_ids))`

/** SQL conditions: what is decided before a request counts, and for a lone one what is decided after it. */
function fitsSql(
  { isAlone, ofCatalogue, views, spendsReserved, hasBudgets, meters: kinds }: ChargeParts,
  meters: readonly Meter[],
): { rows: string; others: string } {
  const current = ofCatalogue ? ['(:catalogue_version::text is null or s.version = :catalogue_version::text)'] : []
  const spent = spendsReserved ? [] : meters.filter((meter) => kinds[meter] !== 'read')
  const conjunction = (conditions: readonly string[]) => conditions.join('\n         and ') || 'true'
  if (!isAlone) {
    const account = spent.map(
      (meter) => `:${meter}_asked::integer <= greatest(:${meter}_allowance::integer - s.${meter}, 0)`,
    )
    const keys = hasBudgets ? ['not exists (select 1 from keys_before where asked > greatest(budget - taken, 0))'] : []
    return { rows: conjunction([...current, ...account, ...keys]), others: 'true' }
  }
  const within = (meter: Meter, needed: string) =>
    `${needed} <= greatest(:${meter}_allowance::integer - s.${meter}, 0)
           and (s.${meter}_of_key is null or ${needed} <= greatest(:${meter}_budget::integer - s.${meter}_of_key, 0))`
  const asked = views === 'page' ? 's.rows_needed' : ':search_rows_asked::integer'
  const rows = spent.filter((meter) => kinds[meter] === 'counted').map((meter) => within(meter, asked))
  const person = views ? [`${asked} <= greatest(${viewedRowsAllowance} - coalesce(s.hour_rows, 0), 0)`] : []
  const others = spent
    .filter((meter) => kinds[meter] === 'each_once')
    .map(
      (meter) =>
        `case when ${within(meter, `cardinality(:${meter}_ids::bigint[])`)} then true
              else ${within(meter, `(select needed from ${meter}_new)`)} end`,
    )
  return { rows: conjunction([...current, ...rows, ...person]), others: conjunction(others) }
}

const isMinuteOpen =
  '(w.minute_started_at > :open_after::timestamptz and w.minute_started_at <= :open_until::timestamptz)'
const isMinuteOver =
  '(w.minute_started_at <= :over_until::timestamptz or w.minute_started_at > :over_after::timestamptz)'
const isDayOpen = '(w.day between :day::date and :last_open_day::date)'

const admittedCte = ({ isAlone }: ChargeParts) => `admitted as (
  insert into request_windows as w (account_id, mode, minute_started_at, minute_used, day, day_used)
  select :account_id::bigint, :mode::text, :started_at::timestamptz, :minute_count::integer, :day::date, :day_count::integer
  from state w
  where is_current and rows_fit and :minute_count::integer <= :minute_limit::integer
    and :day_count::integer <= :day_limit::integer
    -- Without room, nothing is written; the update below decides between concurrent ${isAlone ? 'requests' : 'batches'}.
    and (w.minute_used is null
         or (${isMinuteOpen} and w.minute_used + :minute_count::integer <= :minute_limit::integer or ${isMinuteOver})
            and (not ${isDayOpen} or w.day_used + :day_count::integer <= :day_limit::integer))
  on conflict (account_id, mode) do update set
    minute_started_at = case when ${isMinuteOpen} then w.minute_started_at else excluded.minute_started_at end,
    minute_used       = case when ${isMinuteOpen} then w.minute_used + excluded.minute_used else excluded.minute_used end,
    day               = case when ${isDayOpen} then w.day else excluded.day end,
    day_used          = case when ${isDayOpen} then w.day_used + excluded.day_used else excluded.day_used end
  where (${isMinuteOpen} and w.minute_used + excluded.minute_used <= :minute_limit::integer or ${isMinuteOver})
    and (not ${isDayOpen} or w.day_used + excluded.day_used <= :day_limit::integer)
  returning minute_started_at, minute_used, day, day_used
)`

function insertCte(meter: Meter, parts: ChargeParts): string {
  const { isAlone } = parts
  const wanted = isAlone
    ? `unnest(:${meter}_ids::bigint[]) as each (id)`
    : `unnest(:${meter}_ids::bigint[], :${meter}_firsts::integer[]) as each (id, request)`
  const spentAt = of('spent_at', 'timestamptz', isAlone, 'each.request')
  const keyId = of('key_id', 'bigint', isAlone, 'each.request')
  return meter === 'store_exports'
    ? `exported as (
  insert into store_exports (account_id, mode, period_start, store_id, exported_at)
  select :account_id::bigint, :mode::text, :store_exports_period::timestamptz, each.id, ${spentAt}
  from ${wanted}
  cross join ${paying(parts)}
  order by each.id
  on conflict do nothing
  returning store_id as id
)`
    : `revealed as (
  insert into reveals (account_id, mode, contact_id, revealed_at, key_id, person_id)
  select :account_id::bigint, :mode::text, each.id, ${spentAt}, ${keyId}, :person_id::bigint
  from ${wanted}
  cross join ${paying(parts)}
  order by each.id
  on conflict do nothing
  returning contact_id as id
)`
}

const insertedBy = { store_exports: 'exported', contact_credits: 'revealed' } as Record<Meter, string>

/** The conflict locks the page, so that of two views at once the second one sees what the first one paid. */
const pageCte = (parts: ChargeParts) => `page as (
  insert into viewed_pages as p (account_id, mode, person_id, page_hash, opened_at, row_ids, paid_ids)
  select :account_id::bigint, :mode::text, :person_id::bigint, :page::bytea, :spent_at::timestamptz, :row_ids::bigint[], '{}'::bigint[]
  from ${paying(parts)}
  where cardinality(:row_ids::bigint[]) > 0
  on conflict (account_id, mode, person_id, page_hash) do update set
    opened_at = case when ${isPageOpenSql('p.opened_at')} then p.opened_at else excluded.opened_at end,
    row_ids   = excluded.row_ids,
    paid_ids  = case when ${isPageOpenSql('p.opened_at')} then p.row_ids else excluded.paid_ids end
  returning paid_ids
)`

/** What each request spends of each meter. */
function spendsCte(spent: readonly Meter[], parts: ChargeParts): string {
  const { isAlone, meters, views } = parts
  const amountOf = (meter: Meter) => {
    if (meters[meter] === 'each_once')
      return isAlone
        ? `(select count(*)::integer as amount from ${insertedBy[meter]}) amounts`
        : `(
    select each.request, count(*)::integer as amount
    from unnest(:${meter}_ids::bigint[], :${meter}_firsts::integer[]) as each (id, request)
    where each.id in (select id from ${insertedBy[meter]})
    group by each.request
  ) amounts`
    if (views === 'page')
      return `(
    select count(*)::integer as amount
    from page
    cross join unnest(:row_ids::bigint[]) as shown (id)
    where id <> all (page.paid_ids)
  ) amounts`
    return isAlone
      ? `(select :${meter}_amount::integer as amount) amounts`
      : `unnest(:${meter}_amounts::integer[]) with ordinality as amounts (amount, request)`
  }
  const ofMeter = (meter: Meter) => `  select ${isAlone ? '1' : 'amounts.request'} as request, '${meter}' as meter,
         :${meter}_period::timestamptz as period_start, amounts.amount,
         :${meter}_allowance::integer as allowance, ${of(`${meter}_budget`, 'integer', isAlone, 'amounts.request')} as budget
  from ${amountOf(meter)}
  cross join ${paying(parts)}
  where amounts.amount > 0`
  return `spends as materialized (\n${spent.map(ofMeter).join('\n  union all\n')}\n)`
}

function settlementCtes({ isAlone, spendsReserved }: ChargeParts): string {
  const sums = isAlone
    ? { amount: 's.amount', allowance: 's.allowance', budget: 's.budget', groups: '' }
    : {
        amount: 'sum(s.amount)::integer',
        allowance: 'max(s.allowance)',
        budget: 'max(s.budget)',
        groups: 's.meter, s.period_start',
      }
  const key = spendsReserved ? counterKeySql(':key_id::bigint') : of('counter_key_id', 'bigint', isAlone, 's.request')
  const groupBy = (columns: string) => (isAlone ? '' : `\n  group by ${columns}`)
  const set = spendsReserved
    ? { account: 'reserved = c.reserved - excluded.used', key: 'reserved = greatest(k.reserved - excluded.used, 0)' }
    : { account: 'allowance = excluded.allowance', key: 'budget = excluded.budget' }
  return `counted as (
  insert into usage_counters as c (account_id, mode, meter, period_start, used, allowance)
  select :account_id::bigint, :mode::text, s.meter, s.period_start, ${sums.amount}, ${sums.allowance}
  from spends s${groupBy(sums.groups)}
  order by s.meter
  on conflict (account_id, mode, meter, period_start)
  do update set used = c.used + excluded.used, ${set.account}
  returning meter, used + reserved as taken
),
key_counted as (
  -- The join and the order make the account's counters come first.
  insert into key_counters as k (account_id, key_id, meter, period_start, used, budget)
  select :account_id::bigint, ${isAlone ? key : `${key} as counter_key_id`}, s.meter, s.period_start, ${sums.amount}, ${spendsReserved ? 'null' : sums.budget}
  from spends s
  join counted c on c.meter = s.meter
  where ${isAlone ? of('key_id', 'bigint', true, '') : ':account_id::bigint'} is not null${groupBy(`counter_key_id, ${sums.groups}`)}
  order by ${isAlone ? '' : 'counter_key_id, '}s.meter
  on conflict (account_id, key_id, meter, period_start)
  do update set used = k.used + excluded.used, ${set.key}
  returning key_id, meter, used + reserved as taken
),
recorded as (
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
  select :account_id::bigint, :mode::text, s.meter, s.period_start, s.amount, ${of('request_id', 'text', isAlone, 's.request')},
         ${of('spent_at', 'timestamptz', isAlone, 's.request')}, ${of('key_id', 'bigint', isAlone, 's.request')}, :person_id::bigint
  from spends s
  order by s.request, s.meter
)`
}

/** The join makes the counters come first. */
const personRowsCte = `viewed as (
  insert into person_windows as w (person_id, started_at, rows_viewed, allowance)
  select :person_id::bigint, :spent_at::timestamptz, s.amount, ${viewedRowsAllowance}
  from spends s
  join counted c on c.meter = s.meter
  on conflict (person_id) do update set
    started_at  = case when ${isPersonHourOpenSql('w.started_at')} then w.started_at else excluded.started_at end,
    rows_viewed = case when ${isPersonHourOpenSql('w.started_at')} then w.rows_viewed + excluded.rows_viewed else excluded.rows_viewed end,
    allowance   = excluded.allowance
)`

/** Contacts that are revealed, with their times in milliseconds. */
const knownSql = `(
         select string_agg(contact_id || ' ' || (extract(epoch from revealed_at) * 1000)::bigint, ',')
         from reveals
         where account_id = :account_id::bigint and mode = :mode::text and contact_id = any (:contact_ids::bigint[]))`

function answerSql(parts: ChargeParts, meters: readonly Meter[], spent: readonly Meter[]): string {
  const { admits, isAlone, ofCatalogue, views, meters: kinds, listsRevealed, hasBudgets } = parts
  const ofMeter = (meter: Meter) => {
    const isSpent = spent.includes(meter)
    const isOnce = kinds[meter] === 'each_once'
    const after = (counted: string, before: string) =>
      isSpent ? `coalesce((select taken from ${counted} where meter = '${meter}'), ${before})` : before
    const ofLoneKey = `case when :${meter}_budget::integer is not null
         then :counter_key_id::bigint || ' ' || ${after('key_counted', `s.${meter}_of_key`)} end`
    const ofKeys = `(
         select string_agg(kb.counter_key_id || ' ' || ${isSpent ? 'coalesce(kc.taken, kb.taken)' : 'kb.taken'}, ',')
         from keys_before kb${isSpent ? '\n         left join key_counted kc on kc.key_id = kb.counter_key_id and kc.meter = kb.meter' : ''}
         where kb.meter = '${meter}')`
    return [
      `${after('counted', `s.${meter}`)} as ${meter}_taken`,
      ...(isAlone || hasBudgets ? [`${isAlone ? ofLoneKey : ofKeys} as ${meter}_of_keys`] : []),
      ...(isOnce ? [`(select string_agg(id::text, ',') from ${insertedBy[meter]}) as ${meter}_new`] : []),
      ...(isOnce && isAlone
        ? [`case when not s.others_fit then (select needed from ${meter}_new) end as ${meter}_needed`]
        : []),
    ]
  }
  const columns = [
    ...(admits
      ? [
          `a.minute_used is not null as is_admitted, a.minute_used is not null${isAlone ? ' and s.others_fit' : ''} as is_paid`,
          's.is_current',
          `(extract(epoch from coalesce(a.minute_started_at, s.minute_started_at)) * 1000)::bigint as minute_started_ms,
       coalesce(a.minute_used, s.minute_used) as minute_used, coalesce(a.day, s.day) as day,
       coalesce(a.day_used, s.day_used) as day_used`,
        ]
      : [`false as is_admitted, s.rows_fit${isAlone ? ' and s.others_fit' : ''} as is_paid`]),
    ...(ofCatalogue ? ['s.version'] : []),
    ...meters.flatMap(ofMeter),
    ...(listsRevealed || kinds.contact_credits === 'each_once' ? [`${knownSql} as known`] : []),
    ...(views
      ? [
          "coalesce((select amount from spends where meter = 'search_rows'), 0) as rows_charged",
          's.hour_started_at, s.hour_rows',
        ]
      : []),
    ...(views === 'page' ? ['s.rows_needed as search_rows_needed'] : []),
    ...(admits ? [flushOnlyCharges(spent)] : []),
  ]
  return `select ${columns.join(',\n       ')}
from state s${admits ? '\nleft join admitted a on true' : ''}`
}

/**
 * SQL column that makes the commit asynchronous if nothing is charged: then only requests were counted, and a crash of
 * PostgreSQL may lose the last moments of those. A charge waits for its own commit, which flushes all earlier ones; so does a
 * transaction that keeps more than the charge.
 */
const flushOnlyCharges = (
  spent: readonly Meter[],
) => `case when ${spent.length > 0 ? 'not exists (select 1 from spends) and ' : ''}not :keeps_more::boolean
       then set_config('synchronous_commit', 'off', true) end as flushed`
