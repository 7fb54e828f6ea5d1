-- The command "stores remove" deletes a store's rows. Readers that follow the batches learn of it here.

create table removed_stores (
  store_id bigint not null primary key,
  batch bigint not null
);
create index removed_stores_by_batch on removed_stores (batch);
comment on table removed_stores is 'Stores that an operator removed from the catalogue: what a search index that follows the batches has to drop.';
comment on column removed_stores.store_id is 'Never given to another store.';
comment on column removed_stores.batch is 'The numbered batch that removed the store.';
