-- A page of the console that is loaded again within ten minutes is not paid again.

create table viewed_pages (
  account_id bigint not null,
  mode       text collate "C" not null,
  person_id  bigint not null,
  page_hash  bytea not null,
  opened_at  timestamptz not null,
  row_ids    bigint[] not null,
  paid_ids   bigint[] not null,
  primary key (account_id, mode, person_id, page_hash)
);
create index viewed_pages_by_time on viewed_pages (opened_at);
comment on table viewed_pages is 'Pages that a person looked at in the console. Within ten minutes the same page shows the same rows for nothing. Each page in it was paid with a row at least, so that the hour of the person bounds how many there are.';
comment on column viewed_pages.page_hash is 'Hash of the query in normal form, the limit and the position: all that decides which rows the page has.';
comment on column viewed_pages.opened_at is 'When the page was paid first; ten minutes later it is paid again.';
comment on column viewed_pages.row_ids is 'The stores or contacts that the latest view showed.';
comment on column viewed_pages.paid_ids is 'Of the latest view, those that the view before had shown: they were not charged again.';
