-- Statements that run on PostgreSQL and not on Citus, as they were before they were changed (0057).

-- admit_request
with 
presented as materialized (
  select k.id as key_id, k.name as key_name, k.mode, k.scopes, k.expires_at, k.revoked_at,
         k.suspended_at as key_suspended_at, coalesce(k.counter_key_id, k.id) as counter_key_id,
         k.budget_contact_credits, k.budget_store_exports, k.budget_search_rows,
         a.id as account_id, a.plan, a.status, a.trial_started_at, a.trial_ends_at, a.period_anchor, a.limits,
         a.created_at, a.subscription_id, a.has_payment_method, a.plan_in_force, a.trialing, a.access_open,
         a.suspended_at, a.closed_at,
         k.revoked_at is null and k.suspended_at is null and (k.expires_at is null or k.expires_at > $2::timestamptz)
           and a.access_open and $3::text = any (k.scopes) as usable,
         coalesce((a.limits ->> 'requests_per_minute')::integer, (p.figures ->> 'requests_per_minute')::integer) as minute_limit,
         coalesce((a.limits ->> 'requests_per_day')::integer, (p.figures ->> 'requests_per_day')::integer) as day_limit
  from api_keys k
  join accounts a on a.id = k.account_id
  cross join lateral (
    select $4::jsonb -> (case when a.trialing then 'trial:' || a.plan_in_force else a.plan_in_force end) as figures
  ) p
  where k.secret_hash = $1::bytea
),

counted as (
  insert into request_windows as w (account_id, mode, minute_started_at, minute_used, day, day_used)
  select account_id, mode, $2::timestamptz, 1, $5::date, 1
  from presented p
  where usable and minute_limit > 0 and day_limit > 0 
    -- A full window is rejected without a write; the update below decides between concurrent requests.
    and not exists (
      select from request_windows w
      where w.account_id = p.account_id and w.mode = p.mode
        and ((w.day between $5::date and (($2::timestamptz + interval '60000 milliseconds') at time zone 'UTC')::date) and w.day_used >= p.day_limit or (w.minute_started_at > $2::timestamptz - interval '60 seconds' and w.minute_started_at <= $2::timestamptz + interval '60000 milliseconds') and w.minute_used >= p.minute_limit))
  on conflict (account_id, mode) do update set
    minute_started_at = case when (w.minute_started_at > $2::timestamptz - interval '60 seconds' and w.minute_started_at <= $2::timestamptz + interval '60000 milliseconds') then w.minute_started_at else excluded.minute_started_at end,
    minute_used       = case when (w.minute_started_at > $2::timestamptz - interval '60 seconds' and w.minute_started_at <= $2::timestamptz + interval '60000 milliseconds') then w.minute_used + 1 else 1 end,
    day               = case when (w.day between $5::date and (($2::timestamptz + interval '60000 milliseconds') at time zone 'UTC')::date) then w.day else excluded.day end,
    day_used          = case when (w.day between $5::date and (($2::timestamptz + interval '60000 milliseconds') at time zone 'UTC')::date) then w.day_used + 1 else 1 end
  where (not (w.minute_started_at > $2::timestamptz - interval '60 seconds' and w.minute_started_at <= $2::timestamptz + interval '60000 milliseconds') or w.minute_used < (select minute_limit from presented))
    and (not (w.day between $5::date and (($2::timestamptz + interval '60000 milliseconds') at time zone 'UTC')::date) or w.day_used < (select day_limit from presented))
  returning minute_started_at, minute_used, day, day_used
)
select p.*, c.day_used is not null as counted,
       coalesce(c.minute_started_at, w.minute_started_at) as minute_started_at,
       coalesce(c.minute_used, w.minute_used) as minute_used,
       coalesce(c.day, w.day) as day,
       coalesce(c.day_used, w.day_used) as day_used,
       r.starts as rows_period_starts, r.taken as rows_taken,
       b.starts as key_rows_period_starts, b.taken as key_rows_taken, set_config('synchronous_commit', 'off', true)
from presented p
left join counted c on true
left join request_windows w on c.day_used is null and w.account_id = p.account_id and w.mode = p.mode
left join lateral (
  select array_agg(u.period_start) as starts, array_agg(u.used + u.reserved) as taken
  from usage_counters u
  where $6::boolean and u.account_id = p.account_id and u.mode = p.mode and u.meter = 'search_rows'
    and u.period_start > $2::timestamptz - interval '32 days'
) r on true
left join lateral (
  select array_agg(u.period_start) as starts, array_agg(u.used + u.reserved) as taken
  from key_counters u
  where $6::boolean and p.budget_search_rows is not null and u.account_id = p.account_id
    and u.key_id = p.counter_key_id and u.meter = 'search_rows'
    and u.period_start > $2::timestamptz - interval '32 days'
) b on true

-- admit_link_request
with 
presented as materialized (
  select k.id as key_id, k.name as key_name, k.mode, k.scopes, k.expires_at, k.revoked_at,
         k.suspended_at as key_suspended_at, coalesce(k.counter_key_id, k.id) as counter_key_id,
         k.budget_contact_credits, k.budget_store_exports, k.budget_search_rows,
         a.id as account_id, a.plan, a.status, a.trial_started_at, a.trial_ends_at, a.period_anchor, a.limits,
         a.created_at, a.subscription_id, a.has_payment_method, a.plan_in_force, a.trialing, a.access_open,
         a.suspended_at, a.closed_at,
         k.revoked_at is null and k.suspended_at is null and (k.expires_at is null or k.expires_at > $2::timestamptz)
           and $3::text = any (k.scopes) as usable,
         coalesce((a.limits ->> 'requests_per_minute')::integer, (p.figures ->> 'requests_per_minute')::integer) as minute_limit,
         coalesce((a.limits ->> 'requests_per_day')::integer, (p.figures ->> 'requests_per_day')::integer) as day_limit,
         coalesce((a.limits ->> 'billing_links_per_hour')::integer, (p.figures ->> 'billing_links_per_hour')::integer) as hour_limit
  from api_keys k
  join accounts a on a.id = k.account_id
  cross join lateral (
    select $4::jsonb -> (case when a.trialing then 'trial:' || a.plan_in_force else a.plan_in_force end) as figures
  ) p
  where k.secret_hash = $1::bytea
),

counted as (
  insert into request_windows as w (account_id, mode, minute_started_at, minute_used, day, day_used)
  select account_id, mode, $2::timestamptz, 1, $5::date, 1
  from presented p
  where usable and minute_limit > 0 and day_limit > 0 and hour_limit > 0
    and not exists (
      select from billing_windows h
      where h.account_id = p.account_id and h.mode = p.mode and h.kind = 'billing_links'
        and (h.started_at > $2::timestamptz - interval '1 hour' and h.started_at <= $2::timestamptz + interval '60000 milliseconds') and h.used >= p.hour_limit)
    -- A full window is rejected without a write; the update below decides between concurrent requests.
    and not exists (
      select from request_windows w
      where w.account_id = p.account_id and w.mode = p.mode
        and ((w.day between $5::date and (($2::timestamptz + interval '60000 milliseconds') at time zone 'UTC')::date) and w.day_used >= p.day_limit or (w.minute_started_at > $2::timestamptz - interval '60 seconds' and w.minute_started_at <= $2::timestamptz + interval '60000 milliseconds') and w.minute_used >= p.minute_limit))
  on conflict (account_id, mode) do update set
    minute_started_at = case when (w.minute_started_at > $2::timestamptz - interval '60 seconds' and w.minute_started_at <= $2::timestamptz + interval '60000 milliseconds') then w.minute_started_at else excluded.minute_started_at end,
    minute_used       = case when (w.minute_started_at > $2::timestamptz - interval '60 seconds' and w.minute_started_at <= $2::timestamptz + interval '60000 milliseconds') then w.minute_used + 1 else 1 end,
    day               = case when (w.day between $5::date and (($2::timestamptz + interval '60000 milliseconds') at time zone 'UTC')::date) then w.day else excluded.day end,
    day_used          = case when (w.day between $5::date and (($2::timestamptz + interval '60000 milliseconds') at time zone 'UTC')::date) then w.day_used + 1 else 1 end
  where (not (w.minute_started_at > $2::timestamptz - interval '60 seconds' and w.minute_started_at <= $2::timestamptz + interval '60000 milliseconds') or w.minute_used < (select minute_limit from presented))
    and (not (w.day between $5::date and (($2::timestamptz + interval '60000 milliseconds') at time zone 'UTC')::date) or w.day_used < (select day_limit from presented))
  returning minute_started_at, minute_used, day, day_used
)
select p.*, c.day_used is not null as counted,
       coalesce(c.minute_started_at, w.minute_started_at) as minute_started_at,
       coalesce(c.minute_used, w.minute_used) as minute_used,
       coalesce(c.day, w.day) as day,
       coalesce(c.day_used, w.day_used) as day_used,
       r.starts as rows_period_starts, r.taken as rows_taken,
       b.starts as key_rows_period_starts, b.taken as key_rows_taken, h.started_at as hour_started_at, h.used as hour_used
from presented p
left join counted c on true
left join request_windows w on c.day_used is null and w.account_id = p.account_id and w.mode = p.mode
left join lateral (
  select array_agg(u.period_start) as starts, array_agg(u.used + u.reserved) as taken
  from usage_counters u
  where $6::boolean and u.account_id = p.account_id and u.mode = p.mode and u.meter = 'search_rows'
    and u.period_start > $2::timestamptz - interval '32 days'
) r on true
left join lateral (
  select array_agg(u.period_start) as starts, array_agg(u.used + u.reserved) as taken
  from key_counters u
  where $6::boolean and p.budget_search_rows is not null and u.account_id = p.account_id
    and u.key_id = p.counter_key_id and u.meter = 'search_rows'
    and u.period_start > $2::timestamptz - interval '32 days'
) b on true
left join billing_windows h on h.account_id = p.account_id and h.mode = p.mode and h.kind = 'billing_links'

-- admit_status_check
with 
presented as materialized (
  select k.id as key_id, k.name as key_name, k.mode, k.scopes, k.expires_at, k.revoked_at,
         k.suspended_at as key_suspended_at, coalesce(k.counter_key_id, k.id) as counter_key_id,
         k.budget_contact_credits, k.budget_store_exports, k.budget_search_rows,
         a.id as account_id, a.plan, a.status, a.trial_started_at, a.trial_ends_at, a.period_anchor, a.limits,
         a.created_at, a.subscription_id, a.has_payment_method, a.plan_in_force, a.trialing, a.access_open,
         a.suspended_at, a.closed_at,
         k.revoked_at is null and k.suspended_at is null and (k.expires_at is null or k.expires_at > $2::timestamptz)
           and $3::text = any (k.scopes) as usable,
         coalesce((a.limits ->> 'billing_status_per_hour')::integer, (p.figures ->> 'billing_status_per_hour')::integer) as hour_limit
  from api_keys k
  join accounts a on a.id = k.account_id
  cross join lateral (
    select $4::jsonb -> (case when a.trialing then 'trial:' || a.plan_in_force else a.plan_in_force end) as figures
  ) p
  where k.secret_hash = $1::bytea
),
counted as (
  insert into billing_windows as w (account_id, mode, kind, started_at, used)
  select account_id, mode, 'billing_status', $2::timestamptz, 1
  from presented p
  where usable and hour_limit > 0
    -- A full hour is rejected without a write; the update below decides between concurrent checks.
    and not exists (
      select from billing_windows w
      where w.account_id = p.account_id and w.mode = p.mode and w.kind = 'billing_status'
        and (w.started_at > $2::timestamptz - interval '1 hour' and w.started_at <= $2::timestamptz + interval '60000 milliseconds') and w.used >= p.hour_limit)
  on conflict (account_id, mode, kind) do update set
    started_at = case when (w.started_at > excluded.started_at - interval '1 hour' and w.started_at <= excluded.started_at + interval '60000 milliseconds') then w.started_at else excluded.started_at end,
    used       = case when (w.started_at > excluded.started_at - interval '1 hour' and w.started_at <= excluded.started_at + interval '60000 milliseconds') then w.used + 1 else 1 end
  where not (w.started_at > excluded.started_at - interval '1 hour' and w.started_at <= excluded.started_at + interval '60000 milliseconds') or w.used < (select hour_limit from presented)
  returning started_at, used
)
select p.*, c.used is not null as counted,
       coalesce(c.started_at, w.started_at) as hour_started_at,
       coalesce(c.used, w.used) as hour_used
from presented p
left join counted c on true
left join billing_windows w
  on c.used is null and w.account_id = p.account_id and w.mode = p.mode and w.kind = 'billing_status'

-- claim_in_hour
insert into billing_windows as w (account_id, mode, kind, started_at, used, claimed_until)
select $1::bigint, $2::text, $3::text, $4::timestamptz, 0, array[$5::timestamptz]
where $7::integer > 0
on conflict (account_id, mode, kind) do update set
  started_at    = case when (w.started_at > excluded.started_at - interval '1 hour' and w.started_at <= excluded.started_at + interval '60000 milliseconds') then w.started_at else excluded.started_at end,
  used          = case when (w.started_at > excluded.started_at - interval '1 hour' and w.started_at <= excluded.started_at + interval '60000 milliseconds') then w.used else 0 end,
  claimed_until = array(
    select held
    from unnest(w.claimed_until) as held
    where held > $6::timestamptz and held <= $5::timestamptz + interval '60000 milliseconds') || $5::timestamptz
where case when (w.started_at > excluded.started_at - interval '1 hour' and w.started_at <= excluded.started_at + interval '60000 milliseconds') then w.used else 0 end + cardinality(array(
    select held
    from unnest(w.claimed_until) as held
    where held > $6::timestamptz and held <= $5::timestamptz + interval '60000 milliseconds')) < $7::integer

-- claim_reply
insert into idempotency as kept (account_id, mode, operation, key_hash, request_hash, claimed_at)
select $1::bigint, $2::text, $3::text, $4::bytea, $5::bytea, $6::timestamptz
from set_config('lock_timeout', $8::text, true)
on conflict (account_id, mode, operation, key_hash)
do update set request_hash = excluded.request_hash, claimed_at = excluded.claimed_at, contact_ids = null, reply = null
where kept.claimed_at <= $7::timestamptz
returning set_config('lock_timeout', null, true)

-- hold_contacts_at
select c.store_id, c.number, c.sealed, s.preview as store
from unnest($1::bigint[], $2::smallint[]) as requested (store_id, number)
join contacts c on c.store_id = requested.store_id and c.number = requested.number
join stores s on s.id = c.store_id
where s.mode = $3::text
order by c.store_id, c.number
for key share of c

-- deliver_previews
with delivered as materialized (
  select requested.ordinal, s.id as store_id, c.preview || coalesce((
      select 'true' from reveals
      where account_id = $1::bigint and mode = $2::text and contact_id = requested.contact_id
    ), 'false') || ',"store":' || s.preview || '}' as item
  from 
  unnest($13::bigint[]) with ordinality as requested (contact_id, ordinal)
  join contacts c
    on c.store_id = requested.contact_id / 4096 and c.number = requested.contact_id % 4096
  join stores s on s.id = c.store_id and s.mode = $2::text
),

exported as (
  insert into store_exports (account_id, mode, period_start, store_id, exported_at)
  select $1::bigint, $2::text, $5::timestamptz, store_id, $3::timestamptz
  from (select distinct store_id from delivered) as each_once
  order by store_id
  on conflict do nothing
  returning store_id
),
spends (meter, period_start, amount, allowance, budget) as (
  values ('search_rows', $5::timestamptz, (select count(*)::integer from delivered), $11::integer,
          $12::integer),
         ('store_exports', $5::timestamptz, (select count(*)::integer from exported), $6::integer, $10::integer)
),

counted as (
  insert into usage_counters as c (account_id, mode, meter, period_start, used, allowance)
  select $1::bigint, $2::text, meter, period_start, amount, allowance
  from spends
  where amount > 0
  order by meter
  on conflict (account_id, mode, meter, period_start)
  do update set used = c.used + excluded.used, allowance = excluded.allowance
  returning meter, used + reserved as taken
),
key_counted as (
  -- The join and the order make the account's counters come first.
  insert into key_counters as k (account_id, key_id, meter, period_start, used, budget)
  select $1::bigint, $9::bigint, s.meter, s.period_start, s.amount, s.budget
  from spends s
  join counted c on c.meter = s.meter
  where $9::bigint is not null
  order by s.meter
  on conflict (account_id, key_id, meter, period_start)
  do update set used = k.used + excluded.used, budget = excluded.budget
  returning meter, used + reserved as taken
),
recorded as (
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
  select $1::bigint, $2::text, meter, period_start, amount, $4::text, $3::timestamptz, $7::bigint, $8::bigint
  from spends
  where amount > 0
),
balances as (
  select s.meter, coalesce(c.taken, b.used + b.reserved, 0) as taken,
         coalesce(kc.taken, kb.used + kb.reserved, 0) as key_taken
  from spends s
  left join counted c on c.meter = s.meter
  left join key_counted kc on kc.meter = s.meter
  left join usage_counters b
    on b.account_id = $1::bigint and b.mode = $2::text and b.meter = s.meter and b.period_start = s.period_start
  left join key_counters kb
    on s.budget is not null and kb.account_id = $1::bigint and kb.key_id = $9::bigint and kb.meter = s.meter
      and kb.period_start = s.period_start
),

meters as (
  select max(taken) filter (where meter = 'search_rows') as rows_taken,
         max(taken) filter (where meter = 'store_exports') as exports_taken,
         max(key_taken) filter (where meter = 'search_rows') as key_rows_taken,
         max(key_taken) filter (where meter = 'store_exports') as key_exports_taken
  from balances
)

select meters.*, (select string_agg(item, ',' order by ordinal) from delivered) as items
from meters

-- deliver_hosts
with delivered as materialized (
  select d.host, s.id as store_id, case
    when $14::text = 'all' or s.tokens @> array[4] then s.document
    else replace(s.document, '"has_revealable_contacts":true', '"has_revealable_contacts":false')
  end as document, s.preview
  from store_domains d
  join stores s on s.id = d.store_id
  where d.mode = $2::text and d.host = any ($13::text[])
),

exported as (
  insert into store_exports (account_id, mode, period_start, store_id, exported_at)
  select $1::bigint, $2::text, $5::timestamptz, store_id, $3::timestamptz
  from (select distinct store_id from delivered) as each_once
  order by store_id
  on conflict do nothing
  returning store_id
),
spends (meter, period_start, amount, allowance, budget) as (
  values ('search_rows', $5::timestamptz, 0, $11::integer,
          $12::integer),
         ('store_exports', $5::timestamptz, (select count(*)::integer from exported), $6::integer, $10::integer)
),

counted as (
  insert into usage_counters as c (account_id, mode, meter, period_start, used, allowance)
  select $1::bigint, $2::text, meter, period_start, amount, allowance
  from spends
  where amount > 0
  order by meter
  on conflict (account_id, mode, meter, period_start)
  do update set used = c.used + excluded.used, allowance = excluded.allowance
  returning meter, used + reserved as taken
),
key_counted as (
  -- The join and the order make the account's counters come first.
  insert into key_counters as k (account_id, key_id, meter, period_start, used, budget)
  select $1::bigint, $9::bigint, s.meter, s.period_start, s.amount, s.budget
  from spends s
  join counted c on c.meter = s.meter
  where $9::bigint is not null
  order by s.meter
  on conflict (account_id, key_id, meter, period_start)
  do update set used = k.used + excluded.used, budget = excluded.budget
  returning meter, used + reserved as taken
),
recorded as (
  insert into ledger (account_id, mode, meter, period_start, amount, request_id, spent_at, key_id, person_id)
  select $1::bigint, $2::text, meter, period_start, amount, $4::text, $3::timestamptz, $7::bigint, $8::bigint
  from spends
  where amount > 0
),
balances as (
  select s.meter, coalesce(c.taken, b.used + b.reserved, 0) as taken,
         coalesce(kc.taken, kb.used + kb.reserved, 0) as key_taken
  from spends s
  left join counted c on c.meter = s.meter
  left join key_counted kc on kc.meter = s.meter
  left join usage_counters b
    on b.account_id = $1::bigint and b.mode = $2::text and b.meter = s.meter and b.period_start = s.period_start
  left join key_counters kb
    on s.budget is not null and kb.account_id = $1::bigint and kb.key_id = $9::bigint and kb.meter = s.meter
      and kb.period_start = s.period_start
),

meters as (
  select max(taken) filter (where meter = 'search_rows') as rows_taken,
         max(taken) filter (where meter = 'store_exports') as exports_taken,
         max(key_taken) filter (where meter = 'search_rows') as key_rows_taken,
         max(key_taken) filter (where meter = 'store_exports') as key_exports_taken
  from balances
)

select meters.*, d.host, d.document, (
  select string_agg(c.preview || coalesce((
      select 'true' from reveals
      where account_id = $1::bigint and mode = $2::text and contact_id = requested.contact_id
    ), 'false') || ',"store":' || d.preview || '}', ',' order by requested.ordinal)
  from 
  unnest($15::bigint[]) with ordinality as requested (contact_id, ordinal)
  join contacts c
    on c.store_id = requested.contact_id / 4096 and c.number = requested.contact_id % 4096
  where c.store_id = d.store_id
) as previews
from meters
left join delivered d on true

-- contact_search
with walked as materialized (
      select negated_score, id, true as meets
      from stores
      where mode = $1::text
      order by negated_score, id
      limit $3::integer
    ), met as materialized (
      select negated_score, id from walked where meets limit $2::integer
    ), walk as materialized (
      select (select count(*) from met) < $2::integer and (select count(*) from walked) = $3::integer as fell_short
    ), collected as (
      select negated_score, id
      from (
        select negated_score, id
        from stores
        where mode = $1::text
        offset 0
      ) candidates
      order by negated_score, id
      limit $2::integer
    ), matching as (
      select negated_score, id from met where not (select fell_short from walk)
      union all
      select negated_score, id from collected where (select fell_short from walk)
    )
    select s.negated_score as "negatedScore", s.id as "storeId", c.place as contact
    from matching s
    cross join lateral (
      select place
      from contacts
      where store_id = s.id
      order by place
      limit $4::integer
    ) c
    
    order by s.negated_score, s.id, c.place
    limit $5::integer

-- update_stores
update stores as s
     set batch = $1::bigint, document_version = $2::smallint, negated_score = fresh.negated_score,
         tokens = fresh.tokens::integer[], active_ads = fresh.active_ads, created_estimate = fresh.created_estimate,
         first_discovered_at = fresh.first_discovered_at, document = fresh.document, preview = fresh.preview
     from unnest($3::bigint[], $4::double precision[], string_to_array($5::text, E'\n'), $6::integer[],
                 $7::timestamptz[], $8::timestamptz[], string_to_array($9::text, E'\n'),
                 string_to_array($10::text, E'\n'))
       as fresh (id, negated_score, tokens, active_ads, created_estimate, first_discovered_at, document, preview)
     where s.id = fresh.id

-- update_contacts
update contacts as c
     set preview_version = $1::smallint, role = fresh.role, traits = fresh.traits, revealable = fresh.revealable,
         verified_revealable = fresh.verified_revealable, verified_emails = fresh.verified_emails,
         preview = fresh.preview, identities = fresh.identities::bigint[], sealed = decode(fresh.sealed, 'hex')
     from unnest($2::bigint[], $3::smallint[], $4::text[], $5::smallint[], $6::boolean[], $7::boolean[], $8::integer[],
                 string_to_array($9::text, E'\n'), string_to_array($10::text, E'\n'),
                 string_to_array($11::text, E'\n'))
       as fresh (store_id, number, role, traits, revealable, verified_revealable, verified_emails, preview, identities,
                 sealed)
     where c.store_id = fresh.store_id and c.number = fresh.number

-- update_store_summaries
update stores as s
     set batch = $1::bigint, document_version = $2::smallint, document = fresh.document,
         tokens = fresh.tokens::integer[], next_contact_number = fresh.next_contact_number
     from unnest($3::bigint[], string_to_array($4::text, E'\n'), string_to_array($5::text, E'\n'), $6::integer[])
       as fresh (id, document, tokens, next_contact_number)
     where s.id = fresh.id

-- has_suppressions
select exists (select from suppressions) as some

-- find_contact_keys
select c.store_id, c.number
from contacts as c
join stores as s on s.id = c.store_id and s.mode = 'live'
where c.identities && $1::bigint[]
union
select c.store_id, c.number
from store_domains as d
join contacts as c using (store_id)
where d.mode = 'live' and d.host = any ($2::text[])
