-- A billing link that is being made holds its place in the hour for a moment only, and counts when it is there.

alter table billing_windows add column claimed_until timestamptz[] not null default '{}';
comment on column billing_windows.claimed_until is 'A moment for each link that is being made: until then it holds a place of the hour, unless it is done before. One whose server died gives its place back by itself.';
