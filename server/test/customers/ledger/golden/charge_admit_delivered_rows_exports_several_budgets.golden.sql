with keys_before as materialized (
  select i.counter_key_id, i.meter, max(i.budget) as budget, sum(i.asked) as asked, coalesce(max(k.used + k.reserved), 0) as taken
  from (
    select 'search_rows' as meter, :search_rows_period::timestamptz as period_start, asked, budget,
           (:counter_key_ids::bigint[])[request] as counter_key_id
    from unnest(:search_rows_askeds::integer[], :search_rows_budgets::integer[]) with ordinality as each (asked, budget, request)
    union all
    select 'store_exports' as meter, :store_exports_period::timestamptz as period_start, asked, budget,
           (:counter_key_ids::bigint[])[request] as counter_key_id
    from unnest(:store_exports_askeds::integer[], :store_exports_budgets::integer[]) with ordinality as each (asked, budget, request)
  ) i
  left join key_counters k
    on k.account_id = :account_id::bigint and k.key_id = i.counter_key_id and k.meter = i.meter
      and k.period_start = i.period_start
  where i.budget is not null
  group by i.counter_key_id, i.meter
),
state as materialized (
  select s.*, (:catalogue_version::text is null or s.version = :catalogue_version::text)
         and :search_rows_asked::integer <= greatest(:search_rows_allowance::integer - s.search_rows, 0)
         and :store_exports_asked::integer <= greatest(:store_exports_allowance::integer - s.store_exports, 0)
         and not exists (select 1 from keys_before where asked > greatest(budget - taken, 0)) as rows_fit
  from (
    select exists (
             select 1 from accounts a
             where a.id = :account_id::bigint and hash_record_extended(a, 0) = :account_version::bigint
               and (a.access_open or not :needs_access::boolean))
           and cardinality(:known_keys::bigint[]) = (
             select count(*)
             from unnest(:known_keys::bigint[], :key_versions::bigint[]) as known (id, version)
             join api_keys k on k.id = known.id
             where hash_record_extended(k, 0) = known.version and k.revoked_at is null and k.suspended_at is null) as is_current,
           w.minute_started_at, w.minute_used, w.day, w.day_used,
           (
  select s.batch || ':' || coalesce((select b.mark from catalogue_batches b where b.batch = s.batch)::text, '')
  from catalogue_state s
  where s.singleton
) as version,
           coalesce((
             select used + reserved from usage_counters
             where account_id = :account_id::bigint and mode = :mode::text and meter = 'search_rows'
               and period_start = :search_rows_period::timestamptz), 0) as search_rows,
           coalesce((
             select used + reserved from usage_counters
             where account_id = :account_id::bigint and mode = :mode::text and meter = 'store_exports'
               and period_start = :store_exports_period::timestamptz), 0) as store_exports
    from (select 1) one
    left join request_windows w on w.account_id = :account_id::bigint and w.mode = :mode::text
    offset 0
  ) s
),
admitted as (
  insert into request_windows as w (account_id, mode, minute_started_at, minute_used, day, day_used)
  select :account_id::bigint, :mode::text, :started_at::timestamptz, :minute_count::integer, :day::date, :day_count::integer
  from state w
  where is_current and rows_fit and :minute_count::integer <= :minute_limit::integer
    and :day_count::integer <= :day_limit::integer
    -- Without room, nothing is written; the update below decides between concurrent batches.
    and (w.minute_used is null
         or ((w.minute_started_at > :open_after::timestamptz and w.minute_started_at <= :open_until::timestamptz) and w.minute_used + :minute_count::integer <= :minute_limit::integer or (w.minute_started_at <= :over_until::timestamptz or w.minute_started_at > :over_after::timestamptz))
            and (not (w.day between :day::date and :last_open_day::date) or w.day_used + :day_count::integer <= :day_limit::integer))
  on conflict (account_id, mode) do update set
    minute_started_at = case when (w.minute_started_at > :open_after::timestamptz and w.minute_started_at <= :open_until::timestamptz) then w.minute_started_at else excluded.minute_started_at end,
    minute_used       = case when (w.minute_started_at > :open_after::timestamptz and w.minute_started_at <= :open_until::timestamptz) then w.minute_used + excluded.minute_used else excluded.minute_used end,
    day               = case when (w.day between :day::date and :last_open_day::date) then w.day else excluded.day end,
    day_used          = case when (w.day between :day::date and :last_open_day::date) then w.day_used + excluded.day_used else excluded.day_used end
  where ((w.minute_started_at > :open_after::timestamptz and w.minute_started_at <= :open_until::timestamptz) and w.minute_used + excluded.minute_used <= :minute_limit::integer or (w.minute_started_at <= :over_until::timestamptz or w.minute_started_at > :over_after::timestamptz))
    and (not (w.day between :day::date and :last_open_day::date) or w.day_used + excluded.day_used <= :day_limit::integer)
  returning minute_started_at, minute_used, day, day_used
),
exported as (
  insert into store_exports (account_id, mode, period_start, store_id, exported_at)
  select :account_id::bigint, :mode::text, :store_exports_period::timestamptz, each.id, (:spent_ats::timestamptz[])[each.request]
  from unnest(:store_exports_ids::bigint[], :store_exports_firsts::integer[]) as each (id, request)
  cross join admitted
  order by each.id
  on conflict do nothing
  returning store_id as id
),
spends as materialized (
  select amounts.request as request, 'search_rows' as meter,
         :search_rows_period::timestamptz as period_start, amounts.amount,
         :search_rows_allowance::integer as allowance, (:search_rows_budgets::integer[])[amounts.request] as budget
  from unnest(:search_rows_amounts::integer[]) with ordinality as amounts (amount, request)
  cross join admitted
  where amounts.amount > 0
  union all
  select amounts.request as request, 'store_exports' as meter,
         :store_exports_period::timestamptz as period_start, amounts.amount,
         :store_exports_allowance::integer as allowance, (:store_exports_budgets::integer[])[amounts.request] as budget
  from (
    select each.request, count(*)::integer as amount
    from unnest(:store_exports_ids::bigint[], :store_exports_firsts::integer[]) as each (id, request)
    where each.id in (select id from exported)
    group by each.request
  ) amounts
  cross join admitted
  where amounts.amount > 0
),
counted as (
  insert into usage_counters as c (account_id, mode, meter, period_start, used, allowance)
  select :account_id::bigint, :mode::text, s.meter, s.period_start, sum(s.amount)::integer, max(s.allowance)
  from spends s
  group by s.meter, s.period_start
  order by s.meter
  on conflict (account_id, mode, meter, period_start)
  do update set used = c.used + excluded.used, allowance = excluded.allowance
  returning meter, used + reserved as taken
),
key_counted as (
  -- The join and the order make the account's counters come first.
  insert into key_counters as k (account_id, key_id, meter, period_start, used, budget)
  select :account_id::bigint, (:counter_key_ids::bigint[])[s.request] as counter_key_id, s.meter, s.period_start, sum(s.amount)::integer, max(s.budget)
  from spends s
  join counted c on c.meter = s.meter
  where :account_id::bigint is not null
  group by counter_key_id, s.meter, s.period_start
  order by counter_key_id, s.meter
  on conflict (account_id, key_id, meter, period_start)
  do update set used = k.used + excluded.used, budget = excluded.budget
  returning key_id, meter, used + reserved as taken
),
recorded as (
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
  select :account_id::bigint, :mode::text, s.meter, s.period_start, s.amount, (:request_ids::text[])[s.request],
         (:spent_ats::timestamptz[])[s.request], (:key_ids::bigint[])[s.request], :person_id::bigint
  from spends s
  order by s.request, s.meter
)
select a.minute_used is not null as is_admitted, a.minute_used is not null as is_paid,
       s.is_current,
       (extract(epoch from coalesce(a.minute_started_at, s.minute_started_at)) * 1000)::bigint as minute_started_ms,
       coalesce(a.minute_used, s.minute_used) as minute_used, coalesce(a.day, s.day) as day,
       coalesce(a.day_used, s.day_used) as day_used,
       s.version,
       coalesce((select taken from counted where meter = 'search_rows'), s.search_rows) as search_rows_taken,
       (
         select string_agg(kb.counter_key_id || ' ' || coalesce(kc.taken, kb.taken), ',')
         from keys_before kb
         left join key_counted kc on kc.key_id = kb.counter_key_id and kc.meter = kb.meter
         where kb.meter = 'search_rows') as search_rows_of_keys,
       coalesce((select taken from counted where meter = 'store_exports'), s.store_exports) as store_exports_taken,
       (
         select string_agg(kb.counter_key_id || ' ' || coalesce(kc.taken, kb.taken), ',')
         from keys_before kb
         left join key_counted kc on kc.key_id = kb.counter_key_id and kc.meter = kb.meter
         where kb.meter = 'store_exports') as store_exports_of_keys,
       (select string_agg(id::text, ',') from exported) as store_exports_new,
       case when not exists (select 1 from spends) and not :keeps_more::boolean
       then set_config('synchronous_commit', 'off', true) end as flushed
from state s
left join admitted a on true
