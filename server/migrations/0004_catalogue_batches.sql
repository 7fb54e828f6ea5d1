-- The history of the catalogue, so that a copy of it kept elsewhere can tell whether it is a copy of this one.
create table catalogue_batches (
  batch bigint primary key,
  mark  bigint not null
);
comment on table catalogue_batches is 'A row for each numbered batch. Small: a reference table when distributed.';
comment on column catalogue_batches.mark is 'Drawn at random when the batch was written: who knows batch and mark has seen this very history, not that of another database or of a backup that went another way.';
