with contact_credits_new as materialized (
  select count(*)::integer as needed
  from unnest(:contact_credits_ids::bigint[]) as wanted (id)
  where not exists (
    select 1 from reveals
    where account_id = :account_id::bigint and mode = :mode::text and contact_id = wanted.id)
),
state as materialized (
  select s.*, true as rows_fit,
         case when cardinality(:contact_credits_ids::bigint[]) <= greatest(:contact_credits_allowance::integer - s.contact_credits, 0)
           and (s.contact_credits_of_key is null or cardinality(:contact_credits_ids::bigint[]) <= greatest(:contact_credits_budget::integer - s.contact_credits_of_key, 0)) then true
              else (select needed from contact_credits_new) <= greatest(:contact_credits_allowance::integer - s.contact_credits, 0)
           and (s.contact_credits_of_key is null or (select needed from contact_credits_new) <= greatest(:contact_credits_budget::integer - s.contact_credits_of_key, 0)) end as others_fit
  from (
    select coalesce((
             select used + reserved from usage_counters
             where account_id = :account_id::bigint and mode = :mode::text and meter = 'contact_credits'
               and period_start = :contact_credits_period::timestamptz), 0) as contact_credits,
           coalesce((
             select used + reserved from usage_counters
             where account_id = :account_id::bigint and mode = :mode::text and meter = 'store_exports'
               and period_start = :store_exports_period::timestamptz), 0) as store_exports,
           case when :contact_credits_budget::integer is not null then coalesce((
             select used + reserved from key_counters
             where account_id = :account_id::bigint and key_id = :counter_key_id::bigint and meter = 'contact_credits'
               and period_start = :contact_credits_period::timestamptz), 0) end as contact_credits_of_key,
           case when :store_exports_budget::integer is not null then coalesce((
             select used + reserved from key_counters
             where account_id = :account_id::bigint and key_id = :counter_key_id::bigint and meter = 'store_exports'
               and period_start = :store_exports_period::timestamptz), 0) end as store_exports_of_key
    from (select 1) one
    offset 0
  ) s
),
admitted as materialized (
  select 1 as one from state where rows_fit
),
paying as materialized (
  select 1 as one from admitted cross join state where others_fit
),
revealed as (
  insert into reveals (account_id, mode, contact_id, revealed_at, key_id, person_id)
  select :account_id::bigint, :mode::text, each.id, :spent_at::timestamptz, :key_id::bigint, :person_id::bigint
  from unnest(:contact_credits_ids::bigint[]) as each (id)
  cross join paying
  order by each.id
  on conflict do nothing
  returning contact_id as id
),
spends as materialized (
  select 1 as request, 'contact_credits' as meter,
         :contact_credits_period::timestamptz as period_start, amounts.amount,
         :contact_credits_allowance::integer as allowance, :contact_credits_budget::integer as budget
  from (select count(*)::integer as amount from revealed) amounts
  cross join paying
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
)
select false as is_admitted, s.rows_fit and s.others_fit as is_paid,
       coalesce((select taken from counted where meter = 'contact_credits'), s.contact_credits) as contact_credits_taken,
       case when :contact_credits_budget::integer is not null
         then :counter_key_id::bigint || ' ' || coalesce((select taken from key_counted where meter = 'contact_credits'), s.contact_credits_of_key) end as contact_credits_of_keys,
       (select string_agg(id::text, ',') from revealed) as contact_credits_new,
       case when not s.others_fit then (select needed from contact_credits_new) end as contact_credits_needed,
       s.store_exports as store_exports_taken,
       case when :store_exports_budget::integer is not null
         then :counter_key_id::bigint || ' ' || s.store_exports_of_key end as store_exports_of_keys,
       (
         select string_agg(contact_id || ' ' || (extract(epoch from revealed_at) * 1000)::bigint, ',')
         from reveals
         where account_id = :account_id::bigint and mode = :mode::text and contact_id = any (:contact_ids::bigint[])) as known
from state s
