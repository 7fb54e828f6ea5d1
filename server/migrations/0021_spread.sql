-- The limit that a request was decided against is stored beside its windows: the row to insert carries it into the update, which
-- then needs no subquery, so that the statement also runs where the table is spread over machines.

alter table request_windows
  add column minute_limit integer,
  add column day_limit integer;
comment on column request_windows.minute_limit is 'The limit of the minute that the newest request was decided against.';
comment on column request_windows.day_limit is 'The same of the day.';

alter table billing_windows
  add column hour_limit integer;
comment on column billing_windows.hour_limit is 'The limit that the newest status check was decided against; null for the other kind.';

-- Where tables are spread over machines, a reader may see the number of a batch before all of its rows: machines commit one after
-- the other. So a batch says how many rows it has.
alter table catalogue_batches
  add column stores integer check (stores >= 0);
comment on column catalogue_batches.stores is 'How many rows of stores and removed_stores have this batch; null if unknown, as for batches of before 0021. A later batch that takes over a store lowers it.';

-- The planner knows no row counts of tables that are spread over machines.
create table catalogue_statistics (
  id       boolean primary key default true check (id),
  stores   bigint not null check (stores >= 0),
  contacts bigint not null check (contacts >= 0),
  taken_at timestamptz not null
);
comment on table catalogue_statistics is 'At most one row: how many stores and contacts there were after the last large import. Memory is estimated with it.';
