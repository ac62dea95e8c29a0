-- Sessions of clients of the sessionful revisions: any process may serve any request of one, for its principal alone.
create table client_sessions (
  tenant text not null,
  id text not null,
  principal text not null,
  revision text not null,
  -- What the client said of itself.
  client text not null,
  began_at bigint not null,
  expires_at bigint not null,
  primary key (tenant, id)
);

create index client_sessions_of_principal on client_sessions (tenant, principal);
create index client_sessions_expired on client_sessions (expires_at);
