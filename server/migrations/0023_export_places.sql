-- A bound for the files that an account keeps: each export holds one of the account's places until its file is gone.

alter table exports add column place integer;

update exports e
set place = numbered.place
from (select account_id, id, row_number() over (partition by account_id, mode order by created_at, id)::integer as place
      from exports
      where status <> 'expired') numbered
where numbered.account_id = e.account_id and numbered.id = e.id;

alter table exports add constraint exports_place_check check (place > 0);
alter table exports add constraint exports_place_held check ((status = 'expired') = (place is null));

create unique index exports_by_place on exports (account_id, mode, place) where place is not null;

comment on column exports.place is
  'The place among the files that the account keeps in this mode, at most as many as its limit ready_exports; null once the file is gone.';
