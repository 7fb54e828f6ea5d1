-- Billing: what the payment provider last said of an account, its events, and the hourly limits of the billing calls.

alter table accounts
  add column customer_id          text collate "C" unique,
  add column subscription_id      text collate "C",
  add column cancel_at_period_end boolean not null default false,
  add column current_period_end   timestamptz,
  add column has_payment_method   boolean not null default false,
  add column billing_problem      text collate "C" check (billing_problem in ('several_subscriptions', 'unknown_price')),
  add column provider_read_at     timestamptz;
comment on column accounts.customer_id is 'The provider''s customer, made once at the first link.';
comment on column accounts.subscription_id is 'The provider''s subscription that plan and status come from; null for a plan granted by hand.';
comment on column accounts.cancel_at_period_end is 'Whether the subscription ends with its period.';
comment on column accounts.current_period_end is 'End of the period that is paid for, as the provider tells it.';
comment on column accounts.has_payment_method is 'Whether the provider can charge the customer at once.';
comment on column accounts.billing_problem is 'What at the provider contradicts itself, so that a person has to look; null when nothing does.';
comment on column accounts.provider_read_at is 'When the subscription was last read from the provider.';

create table billing_windows (
  account_id bigint not null,
  mode       text collate "C" not null,
  kind       text collate "C" not null check (kind in ('billing_status', 'billing_links')),
  started_at timestamptz not null,
  used       integer not null check (used >= 0),
  primary key (account_id, mode, kind)
) with (fillfactor = 50);
comment on table billing_windows is 'The fixed hour, opened by its first call, of the billing calls that have a limit of their own.';

create table billing_events (
  id          text collate "C" primary key,
  type        text collate "C" not null,
  received_at timestamptz not null,
  handled_at  timestamptz,
  outcome     text collate "C" check (outcome in ('synced', 'unknown_account', 'unknown_type'))
);
create index billing_events_by_age on billing_events (received_at);
comment on table billing_events is 'Events of the provider, each once. One without handled_at was received and not finished; the provider sends it again.';
