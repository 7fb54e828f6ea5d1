-- Searches that leave out exported stores keep them in memory, and read what was exported since.

create index store_exports_by_time on store_exports (account_id, mode, period_start, exported_at, store_id);
