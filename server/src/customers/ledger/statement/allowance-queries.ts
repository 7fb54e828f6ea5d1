/** SQL of what decides about a charge: the state before it, whether it fits, and the windows that count its requests. */

import type { Meter } from '../../accounts/plans.ts'
import { isPageOpenSql, isUserHourOpenSql, viewedRowsAllowance } from '../window-queries.ts'
import type { ChargeParts } from './parts.ts'

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
export const newCte = (meter: Meter) => `${meter}_new as materialized (
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
export const keysBeforeCte = (meters: readonly Meter[]) => `keys_before as materialized (
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
export function stateCte(parts: ChargeParts, meters: readonly Meter[]): string {
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
      ? [`left join person_windows h on h.person_id = :person_id::bigint and ${isUserHourOpenSql('h.started_at')}`]
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
  const askedOf = (meter: Meter) =>
    views === 'page' && meter === 'search_rows' ? 's.rows_needed' : `:${meter}_asked::integer`
  const rows = spent.filter((meter) => kinds[meter] === 'counted').map((meter) => within(meter, askedOf(meter)))
  const user = views
    ? [`${askedOf('search_rows')} <= greatest(${viewedRowsAllowance} - coalesce(s.hour_rows, 0), 0)`]
    : []
  const others = spent
    .filter((meter) => kinds[meter] === 'each_once')
    .map(
      (meter) =>
        `case when ${within(meter, `cardinality(:${meter}_ids::bigint[])`)} then true
              else ${within(meter, `(select needed from ${meter}_new)`)} end`,
    )
  return { rows: conjunction([...current, ...rows, ...user]), others: conjunction(others) }
}

const isMinuteOpen =
  '(w.minute_started_at > :open_after::timestamptz and w.minute_started_at <= :open_until::timestamptz)'
const isMinuteOver =
  '(w.minute_started_at <= :over_until::timestamptz or w.minute_started_at > :over_after::timestamptz)'
const isDayOpen = '(w.day between :day::date and :last_open_day::date)'

export const admittedCte = ({ isAlone }: ChargeParts) => `admitted as (
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
