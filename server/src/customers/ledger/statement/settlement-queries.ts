/** SQL of what a charge writes once it is decided: reveals, exports, a viewed page, counters, the ledger, the hour of a person. */

import type { Meter } from '../../accounts/plans.ts'
import { counterKeySql } from '../../auth/budget-queries.ts'
import { isPageOpenSql, isUserHourOpenSql, viewedRowsAllowance } from '../window-queries.ts'
import { type ChargeParts, of, paying } from './parts.ts'

export function insertCte(meter: Meter, parts: ChargeParts): string {
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

export const insertedBy: Partial<Record<Meter, string>> = { store_exports: 'exported', contact_credits: 'revealed' }

/** The conflict locks the page, so that of two views at once the second one sees what the first one paid. */
export const pageCte = (parts: ChargeParts) => `page as (
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
export function spendsCte(spent: readonly Meter[], parts: ChargeParts): string {
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
    if (views === 'page' && meter === 'search_rows')
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

export function settlementCtes({ isAlone, spendsReserved }: ChargeParts): string {
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
export const userRowsCte = `viewed as (
  insert into person_windows as w (person_id, started_at, rows_viewed, allowance)
  select :person_id::bigint, :spent_at::timestamptz, s.amount, ${viewedRowsAllowance}
  from spends s
  join counted c on c.meter = s.meter
  on conflict (person_id) do update set
    started_at  = case when ${isUserHourOpenSql('w.started_at')} then w.started_at else excluded.started_at end,
    rows_viewed = case when ${isUserHourOpenSql('w.started_at')} then w.rows_viewed + excluded.rows_viewed else excluded.rows_viewed end,
    allowance   = excluded.allowance
)`
