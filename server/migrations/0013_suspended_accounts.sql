-- An operator can suspend an account, and its owner can close it. Either closes access, whatever the plan.

-- The expression of a generated column cannot be changed before PostgreSQL 17, so the column is made again. The table is
-- small, and nothing in the database depends on the column.
alter table accounts
  add column suspended_at timestamptz,
  add column closed_at timestamptz,
  drop column access_open;
alter table accounts
  add column access_open boolean not null generated always as
    (plan <> 'free' and status in ('trialing', 'active') and suspended_at is null and closed_at is null) stored;
comment on column accounts.suspended_at is 'When an operator suspended the account; null while it is not suspended.';
comment on column accounts.closed_at is 'When an owner closed the account; permanent.';
comment on column accounts.access_open is 'Whether the data endpoints answer. Decided here, so that admission and every reply agree.';

-- The privacy page tells people since when they are on file, and operators see when the catalogue was written. Rows of
-- before have neither.
alter table contacts add column added_at timestamptz;
comment on column contacts.added_at is 'When an import added the contact; null for those of before 0013.';
alter table catalogue_batches add column written_at timestamptz;
comment on column catalogue_batches.written_at is 'When the batch was written; null for those of before 0013.';
