-- A key tells when it was last used, so that one nobody uses any more can be found and revoked.

alter table api_keys add column last_used_at timestamptz;
comment on column api_keys.last_used_at is 'The hour of the newest request that was admitted with this key, written seldom; null for one that was never used.';
