with state as materialized (
  select s.*, (:catalogue_version::text is null or s.version = :catalogue_version::text)
         and s.rows_needed <= greatest(:search_rows_allowance::integer - s.search_rows, 0)
           and (s.search_rows_of_key is null or s.rows_needed <= greatest(:search_rows_budget::integer - s.search_rows_of_key, 0))
         and s.rows_needed <= greatest(3000 - coalesce(s.hour_rows, 0), 0) as rows_fit,
         true as others_fit
  from (
    select (
  select s.batch || ':' || coalesce((select b.mark from catalogue_batches b where b.batch = s.batch)::text, '')
  from catalogue_state s
  where s.singleton
) as version,
           coalesce((
             select used + reserved from usage_counters
             where account_id = :account_id::bigint and mode = :mode::text and meter = 'search_rows'
               and period_start = :search_rows_period::timestamptz), 0) as search_rows,
           case when :search_rows_budget::integer is not null then coalesce((
             select used + reserved from key_counters
             where account_id = :account_id::bigint and key_id = :counter_key_id::bigint and meter = 'search_rows'
               and period_start = :search_rows_period::timestamptz), 0) end as search_rows_of_key,
           h.started_at as hour_started_at, h.rows_viewed as hour_rows,
           case when p.row_ids is null then :search_rows_asked::integer else (
             select count(*)::integer from unnest(:row_ids::bigint[]) as shown (id) where id <> all (p.row_ids)) end as rows_needed
    from (select 1) one
    left join person_windows h on h.person_id = :person_id::bigint and (:spent_at::timestamptz - h.started_at < interval '1 hour' and :spent_at::timestamptz - h.started_at >= - interval '60000 milliseconds')
    left join viewed_pages p
      on p.account_id = :account_id::bigint and p.mode = :mode::text and p.person_id = :person_id::bigint
        and p.page_hash = :page::bytea and (:spent_at::timestamptz - p.opened_at < interval '10 minutes' and :spent_at::timestamptz - p.opened_at >= - interval '60000 milliseconds')
    offset 0
  ) s
),
admitted as materialized (
  select 1 as one from state where rows_fit
),
page as (
  insert into viewed_pages as p (account_id, mode, person_id, page_hash, opened_at, row_ids, paid_ids)
  select :account_id::bigint, :mode::text, :person_id::bigint, :page::bytea, :spent_at::timestamptz, :row_ids::bigint[], '{}'::bigint[]
  from admitted
  where cardinality(:row_ids::bigint[]) > 0
  on conflict (account_id, mode, person_id, page_hash) do update set
    opened_at = case when (:spent_at::timestamptz - p.opened_at < interval '10 minutes' and :spent_at::timestamptz - p.opened_at >= - interval '60000 milliseconds') then p.opened_at else excluded.opened_at end,
    row_ids   = excluded.row_ids,
    paid_ids  = case when (:spent_at::timestamptz - p.opened_at < interval '10 minutes' and :spent_at::timestamptz - p.opened_at >= - interval '60000 milliseconds') then p.row_ids else excluded.paid_ids end
  returning paid_ids
),
spends as materialized (
  select 1 as request, 'search_rows' as meter,
         :search_rows_period::timestamptz as period_start, amounts.amount,
         :search_rows_allowance::integer as allowance, :search_rows_budget::integer as budget
  from (
    select count(*)::integer as amount
    from page
    cross join unnest(:row_ids::bigint[]) as shown (id)
    where id <> all (page.paid_ids)
  ) amounts
  cross join admitted
  where amounts.amount > 0
),
counted as (
  insert into usage_counters as c (account_id, mode, meter, period_start, used, allowance)
  select :account_id::bigint, :mode::text, s.meter, s.period_start, s.amount, s.allowance
  from spends s
  order by s.meter
  on conflict (account_id, mode, meter, period_start)
  do update set used = c.used + excluded.used, allowance = excluded.allowance
  returning meter, used + reserved as taken
),
key_counted as (
  -- The join and the order make the account's counters come first.
  insert into key_counters as k (account_id, key_id, meter, period_start, used, budget)
  select :account_id::bigint, :counter_key_id::bigint, s.meter, s.period_start, s.amount, s.budget
  from spends s
  join counted c on c.meter = s.meter
  where :key_id::bigint is not null
  order by s.meter
  on conflict (account_id, key_id, meter, period_start)
  do update set used = k.used + excluded.used, budget = excluded.budget
  returning key_id, meter, used + reserved as taken
),
recorded as (
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
  select :account_id::bigint, :mode::text, s.meter, s.period_start, s.amount, :request_id::text,
         :spent_at::timestamptz, :key_id::bigint, :person_id::bigint
  from spends s
  order by s.request, s.meter
),
viewed as (
  insert into person_windows as w (person_id, started_at, rows_viewed, allowance)
  select :person_id::bigint, :spent_at::timestamptz, s.amount, 3000
  from spends s
  join counted c on c.meter = s.meter
  on conflict (person_id) do update set
    started_at  = case when (:spent_at::timestamptz - w.started_at < interval '1 hour' and :spent_at::timestamptz - w.started_at >= - interval '60000 milliseconds') then w.started_at else excluded.started_at end,
    rows_viewed = case when (:spent_at::timestamptz - w.started_at < interval '1 hour' and :spent_at::timestamptz - w.started_at >= - interval '60000 milliseconds') then w.rows_viewed + excluded.rows_viewed else excluded.rows_viewed end,
    allowance   = excluded.allowance
)
select false as is_admitted, s.rows_fit and s.others_fit as is_paid,
       s.version,
       coalesce((select taken from counted where meter = 'search_rows'), s.search_rows) as search_rows_taken,
       case when :search_rows_budget::integer is not null
         then :counter_key_id::bigint || ' ' || coalesce((select taken from key_counted where meter = 'search_rows'), s.search_rows_of_key) end as search_rows_of_keys,
       (
         select string_agg(contact_id || ' ' || (extract(epoch from revealed_at) * 1000)::bigint, ',')
         from reveals
         where account_id = :account_id::bigint and mode = :mode::text and contact_id = any (:contact_ids::bigint[])) as known,
       coalesce((select amount from spends where meter = 'search_rows'), 0) as rows_charged,
       s.hour_started_at, s.hour_rows,
       s.rows_needed as search_rows_needed
from state s
