with before as materialized (
  select coalesce((
           select used + reserved from usage_counters
           where account_id = :account_id::bigint and mode = :mode::text and meter = 'store_exports' and period_start = :store_exports_period::timestamptz), 0) as store_exports,
         case when :store_exports_budget::integer is not null then coalesce((
           select used + reserved from key_counters
           where account_id = :account_id::bigint and key_id = :counter_key_id::bigint and meter = 'store_exports'
             and period_start = :store_exports_period::timestamptz), 0) end as store_exports_of_key
),
fits as materialized (
  select true as rows_fit,
         true as others_fit
  from before b
),
admitted as materialized (
  select 1 as one from fits where rows_fit
),
paying as materialized (
  select 1 as one from admitted cross join fits where others_fit
)
select exists (select 1 from admitted) as is_admitted,
       exists (select 1 from paying) as is_paid,
       b.store_exports as store_exports_taken,
       case when :store_exports_budget::integer is not null then :counter_key_id::bigint || ' ' || b.store_exports_of_key end as store_exports_of_keys
from before b
cross join fits f
