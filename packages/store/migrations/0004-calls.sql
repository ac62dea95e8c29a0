-- Calls that one process holds open for a server that waits inside them.
create table calls (
  tenant text not null,
  id text not null,
  principal text not null,
  server text not null,
  method text not null,
  request_digest text not null,
  owner text not null,
  state text not null,
  started_at bigint not null,
  lease_until bigint not null,
  ended_at bigint,
  outcome text,
  delivered_at bigint,
  primary key (tenant, id)
);

create index calls_of_owner on calls (owner) where state = 'running';
create index calls_leases on calls (lease_until) where state = 'running';
