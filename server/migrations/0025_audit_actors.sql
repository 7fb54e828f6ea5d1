-- The audit log says through which door something was done: by a key, by a member, by an operator, at the command line.

alter table audit_log add column actor text collate "C";
alter table audit_log add column key_id bigint;
alter table audit_log add constraint audit_log_actor_check
  check (actor in ('key', 'member', 'person', 'operator', 'visitor', 'command', 'system')) not valid;
comment on table audit_log is
  'Who changed what, or took much out at once, when and from where. Entries are only added; of an address the network stays.';
comment on column audit_log.actor is
  'Who it was: a key or a member of the account, a person about themselves, an operator of the installation, somebody who is not signed in, the command line, the service itself. Null in entries from before it was recorded.';
comment on column audit_log.person_id is 'The person; null for a key, for somebody who is not signed in, and for the command line.';
comment on column audit_log.key_id is 'The key; null for all others.';
