-- The ledger and the reveals name the key or the person who spent. Entries of before have neither.

alter table ledger add column key_id bigint, add column person_id bigint;
comment on column ledger.key_id is 'The API key that spent; null for a person of the console, and for entries of before 0012.';
comment on column ledger.person_id is 'The person of the console who spent; null for a key.';
create index ledger_by_time on ledger (account_id, mode, spent_at, entry);

alter table reveals add column key_id bigint, add column person_id bigint;
comment on column reveals.key_id is 'The API key that revealed the contact first.';
comment on column reveals.person_id is 'The person of the console who revealed the contact first.';
create index reveals_by_time on reveals (account_id, mode, revealed_at, contact_id);
