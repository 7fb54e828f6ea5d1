-- The audit log keeps an address for thirty days, and then its network; invitations go thirty days after their end.

create index audit_log_with_address on audit_log (at) where right(address, 3) not in ('/24', '/48');
comment on table audit_log is
  'Who changed what in the console, when and from where. Entries are only added; of an address the network stays.';
comment on column audit_log.address is 'The network address of the browser; after thirty days its network (/24, IPv6 /48).';

create index invitations_by_end on invitations (expires_at);
