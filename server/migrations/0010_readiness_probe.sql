-- What /readyz tries to write, to notice a full disk or missing files. The write is rolled back: it never holds a row.
create table readiness_probe (
  filler text not null
);
alter table readiness_probe alter column filler set storage plain;
comment on table readiness_probe is 'Always empty. The readiness check fills a block of it and rolls back, so that it notices when nothing can be written.';
