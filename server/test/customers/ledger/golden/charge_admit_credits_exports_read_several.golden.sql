with state as materialized (
  select s.*, :contact_credits_asked::integer <= greatest(:contact_credits_allowance::integer - s.contact_credits, 0) as rows_fit
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
           coalesce((
             select used + reserved from usage_counters
             where account_id = :account_id::bigint and mode = :mode::text and meter = 'contact_credits'
               and period_start = :contact_credits_period::timestamptz), 0) as contact_credits,
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
revealed as (
  insert into reveals (account_id, mode, contact_id, revealed_at, key_id, person_id)
  select :account_id::bigint, :mode::text, each.id, (:spent_ats::timestamptz[])[each.request], (:key_ids::bigint[])[each.request], :person_id::bigint
  from unnest(:contact_credits_ids::bigint[], :contact_credits_firsts::integer[]) as each (id, request)
  cross join admitted
  order by each.id
  on conflict do nothing
  returning contact_id as id
),
spends as materialized (
  select amounts.request as request, 'contact_credits' as meter,
         :contact_credits_period::timestamptz as period_start, amounts.amount,
         :contact_credits_allowance::integer as allowance, (:contact_credits_budgets::integer[])[amounts.request] as budget
  from (
    select each.request, count(*)::integer as amount
    from unnest(:contact_credits_ids::bigint[], :contact_credits_firsts::integer[]) as each (id, request)
    where each.id in (select id from revealed)
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
       coalesce((select taken from counted where meter = 'contact_credits'), s.contact_credits) as contact_credits_taken,
       (select string_agg(id::text, ',') from revealed) as contact_credits_new,
       s.store_exports as store_exports_taken,
       (
         select string_agg(contact_id || ' ' || (extract(epoch from revealed_at) * 1000)::bigint, ',')
         from reveals
         where account_id = :account_id::bigint and mode = :mode::text and contact_id = any (:contact_ids::bigint[])) as known,
       case when not exists (select 1 from spends) and not :keeps_more::boolean
       then set_config('synchronous_commit', 'off', true) end as flushed
from state s
left join admitted a on true
