-- An event of the payment provider's other mode, live or test, is recorded and not acted on.

alter table billing_events drop constraint billing_events_outcome_check;
alter table billing_events
  add constraint billing_events_outcome_check check (outcome in ('synced', 'unknown_account', 'unknown_type', 'other_mode'));
