-- Searches that ask for a narrow range, when PostgreSQL answers them: without these they read the whole catalogue.
create index stores_by_created on stores (created_estimate);
create index stores_by_discovered on stores (first_discovered_at);
create index stores_by_ads on stores (active_ads);

-- By the shares of tokens a search is planned; by default only the thousand most common ones are known.
alter table stores alter column tokens set statistics 300;
