-- What imports and renames changed of a store, from now on. Stores that are stored already begin with their next change.

create table store_changes (
  store_id bigint not null,
  batch    bigint not null,
  at       timestamptz not null,
  field    smallint not null check (field >= 0),
  before   text,
  after    text,
  added    text[],
  removed  text[],
  primary key (store_id, batch, field)
);
create index store_changes_by_time on store_changes (at, batch);
comment on table store_changes is 'The history of stores: one row for each field that a batch changed, and one when a store is new. Never updated; pruned by age.';
comment on column store_changes.batch is 'The numbered batch that made the change.';
comment on column store_changes.at is 'When the batch was written (catalogue_batches.written_at): at and batch find the changes of a batch.';
comment on column store_changes.field is 'A number, since every store has a row: 0 added_to_catalogue, 1 aliases, 2 theme.type, 3 theme.name, 4 pixels, 5 apps, 6 lead_fit_score, 7 platform_plus, 8 revenue_tier, 9 traffic_tier, 10 country, 11 category, 12 name.';
comment on column store_changes.before is 'The value of a field that has one, as text; null for none. Lists of values have added and removed instead.';
