-- Budgets of API keys: what one key may spend of a meter in a period. What each key spends is counted whether it has a budget
-- or not, so that a budget covers what the key spent before it was set.

alter table api_keys
  add column counter_key_id bigint,
  add column budget_contact_credits integer check (budget_contact_credits >= 0),
  add column budget_store_exports integer check (budget_store_exports >= 0),
  add column budget_search_rows integer check (budget_search_rows >= 0);
comment on column api_keys.counter_key_id is 'The first of the keys that rotation replaced by this one; all of them are counted under it. Null for a key that replaced none.';
comment on column api_keys.budget_contact_credits is 'The contact credits that the key and those it shares its counters with may spend in a period; null for no budget.';
comment on column api_keys.budget_store_exports is 'The same of store exports.';
comment on column api_keys.budget_search_rows is 'The same of search rows.';

create table key_counters (
  account_id   bigint not null,
  key_id       bigint not null,
  meter        text collate "C" not null check (meter in ('contact_credits', 'store_exports', 'search_rows')),
  period_start timestamptz not null,
  used         integer not null check (used >= 0),
  reserved     integer not null default 0 check (reserved >= 0),
  budget       integer check (budget >= 0),
  packed       bigint not null default 0 check (packed between 0 and used),
  primary key (account_id, key_id, meter, period_start),
  constraint key_counters_within_budget check (used + reserved <= budget)
) with (fillfactor = 50);
comment on table key_counters is 'What an API key used of a meter in a period. It is locked only by who has locked the row of usage_counters before.';
comment on column key_counters.key_id is 'The key, or the first one of a chain of rotations: api_keys.counter_key_id, else api_keys.id.';
comment on column key_counters.reserved is 'Reserved by running exports that the key started; also part of usage_counters.reserved.';
comment on column key_counters.budget is 'The budget that the newest spend was decided against; null for none.';
comment on column key_counters.packed is 'How much of used is in archives of the ledger, which do not say by key what they add up to.';

insert into key_counters (account_id, key_id, meter, period_start, used, reserved)
select account_id, key_id, meter, period_start, sum(used), sum(reserved)
from (select account_id, key_id, meter, period_start, amount as used, 0 as reserved
      from ledger
      where key_id is not null
      union all
      select account_id, key_id, 'store_exports', period_start, 0, reserved_exports
      from exports
      where key_id is not null and reserved_exports > 0
      union all
      select account_id, key_id, 'contact_credits', credits_period_start, 0, reserved_credits
      from exports
      where key_id is not null and reserved_credits > 0) spent
group by account_id, key_id, meter, period_start;
