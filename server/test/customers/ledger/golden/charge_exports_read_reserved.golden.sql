with state as materialized (
  select s.*, true as rows_fit,
         true as others_fit
  from (
    select coalesce((
             select used + reserved from usage_counters
             where account_id = :account_id::bigint and mode = :mode::text and meter = 'store_exports'
               and period_start = :store_exports_period::timestamptz), 0) as store_exports,
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
)
select false as is_admitted, s.rows_fit and s.others_fit as is_paid,
       s.store_exports as store_exports_taken,
       case when :store_exports_budget::integer is not null
         then :counter_key_id::bigint || ' ' || s.store_exports_of_key end as store_exports_of_keys
from state s
