-- Contacts, for real: what a search needs of a person in clear, everything else sealed; retried reveals; erased people.

-- Nothing could write contacts before, so the table is made anew.
drop table contacts;

create table contacts (
  store_id            bigint not null,
  number              smallint not null check (number between 0 and 4095),
  external_key        bytea not null,
  role                text collate "C",
  traits              smallint not null check (traits between 0 and 23),
  place               integer not null generated always as ((traits / 4) * 4096 + number) stored,
  revealable          boolean not null,
  verified_revealable boolean not null,
  verified_emails     integer not null check (verified_emails >= 0),
  preview             text not null,
  preview_version     smallint not null,
  identities          bigint[] not null,
  sealed              bytea not null,
  primary key (store_id, number),
  unique (store_id, external_key)
);
comment on table contacts is 'People at stores. All that is known of a person is sealed; only what a preview may show and a search may ask stands in clear.';
comment on column contacts.number is 'Place within the store, never given twice: public contact id = store id * 4096 + number.';
comment on column contacts.external_key is 'Keyed hash of what identifies the contact within its store at import.';
comment on column contacts.traits is 'Seniority (0 executive, 1 decision_maker, 2 other) * 8, + 4 without a verified email, + 2 with a phone, + 1 with a profile.';
comment on column contacts.place is 'Order within the store: seniority, verified email first, then number.';
comment on column contacts.revealable is 'Has a channel that may be delivered.';
comment on column contacts.verified_revealable is 'The same where of emails only verified ones are delivered.';
comment on column contacts.preview is 'The public preview as JSON, up to the value of "revealed": whose store and whether revealed are added by the reply.';
comment on column contacts.preview_version is 'Which rendering made the preview.';
comment on column contacts.identities is 'Keyed hashes of the emails, phones, profile and import key, by which a person is found to be erased. Read in sequence, so without an index.';
comment on column contacts.sealed is 'AES-256-GCM: version, key id, nonce, ciphertext, tag; the row''s identity is the associated data.';

alter table stores
  add column preview text,
  add column next_contact_number integer not null default 0;
-- Parts of a json value keep their spelling, so this is the rendering that the program makes.
update stores set preview =
  '{"id":' || (document::json -> 'id')::text ||
  ',"domain":' || (document::json -> 'domain')::text ||
  ',"name":' || (document::json -> 'name')::text ||
  ',"category":' || (document::json -> 'category')::text ||
  ',"traffic_tier":' || (document::json -> 'traffic_tier')::text ||
  ',"technologies":{"apps":' || (document::json #> '{technologies,apps}')::text ||
  ',"pixels":' || (document::json #> '{technologies,pixels}')::text || '}}';
alter table stores alter column preview set not null;
comment on column stores.preview is 'The store as a contact preview shows it, rendered like the document.';
comment on column stores.next_contact_number is 'The number that the store''s next contact gets; only ever raised, so that an erased person''s number is not given again.';
comment on column stores.tokens is 'Sorted tokens that this store has: of taxonomy_values (category, country, tiers, apps, pixels, theme type, contact roles), of flags, and of its contacts'' signatures.';

alter table accounts add column trial_started_at timestamptz;
update accounts set trial_started_at = period_anchor where trialing;
comment on column accounts.trial_started_at is 'When the trial began: its contact credits are one cap for all of it, counted in the period that held this moment.';

create table idempotency (
  account_id   bigint not null,
  mode         text collate "C" not null,
  operation    text collate "C" not null,
  key_hash     bytea not null,
  request_hash bytea not null,
  claimed_at   timestamptz not null,
  contact_ids  bigint[],
  reply        bytea,
  primary key (account_id, mode, operation, key_hash)
);
create index idempotency_by_age on idempotency (claimed_at);
comment on table idempotency is 'Replies kept for a day, so that a retried request is answered with the same bytes and pays nothing. Claim, payment and reply commit together.';
comment on column idempotency.key_hash is 'SHA-256 of the caller''s Idempotency-Key.';
comment on column idempotency.request_hash is 'SHA-256 of the canonical body: the same key with another body is a conflict.';
comment on column idempotency.contact_ids is 'Whom the reply tells of; erasing one of them deletes the reply.';
comment on column idempotency.reply is 'The body of the success, sealed like contacts.';

create table suppressions (
  hash     bigint primary key,
  kind     text collate "C" not null check (kind in ('email', 'phone', 'profile', 'domain', 'record')),
  added_at timestamptz not null
);
comment on table suppressions is 'People who must not be on file: keyed hashes only, so that no import brings them back and nobody can read who they are.';
comment on column suppressions.kind is 'What was hashed; record is the import key of an erased contact.';

comment on table installation is 'Made once at installation: the secret behind public ids and cursors, which never changes, and what sealing contacts needs to know.';
