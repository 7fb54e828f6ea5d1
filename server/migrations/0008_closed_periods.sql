-- Periods that are over: their exports are counted and dropped, and entries of the ledger that are old are packed. At every
-- moment ledger + ledger_rollups equals the counters, and store_exports + export_rollups the entries for exports.

create table ledger_archives (
  account_id     bigint not null,
  first_entry    bigint not null,
  last_entry     bigint not null,
  entries        integer not null check (entries > 0),
  first_spent_at timestamptz not null,
  last_spent_at  timestamptz not null,
  packed_at      timestamptz not null,
  sha256         bytea not null check (length(sha256) = 32),
  packed         bytea,
  primary key (account_id, first_entry)
);
comment on table ledger_archives is 'Old entries of the ledger, compressed, up to 2,000 in a row. An entry stands either here or in the ledger.';
comment on column ledger_archives.sha256 is 'Digest of the entries'' text before compression: proves the archive here, and a file it was exported to.';
comment on column ledger_archives.packed is 'A line of JSON for each entry, compressed with deflate; null once the operator exported and dropped it.';
alter table ledger_archives alter column packed set storage external;

create table ledger_rollups (
  account_id   bigint not null,
  mode         text collate "C" not null,
  meter        text collate "C" not null,
  period_start timestamptz not null,
  first_entry  bigint not null,
  entries      integer not null check (entries > 0),
  amount       bigint not null check (amount > 0),
  primary key (account_id, mode, meter, period_start, first_entry)
);
comment on table ledger_rollups is 'Append-only: what the entries of an archive add up to, for each period that it holds. Stays when the archive is dropped.';
comment on column ledger_rollups.first_entry is 'Which archive of the account.';

create table export_rollups (
  account_id   bigint not null,
  mode         text collate "C" not null,
  period_start timestamptz not null,
  stores       integer not null check (stores > 0),
  closed_at    timestamptz not null,
  primary key (account_id, mode, period_start)
);
comment on table export_rollups is 'How many rows of store_exports were dropped of a period that was over.';
comment on column export_rollups.closed_at is 'When rows were last dropped.';

create table clock_readings (
  read_at timestamptz primary key
);
comment on table clock_readings is 'What time it was when periods were closed before. A period is over only if it was over by a reading of another day, so that a clock that jumped closes nothing. A few rows.';
