-- Pages where a person hands a secret over to one server. What they hand over is encrypted in their browser for that server
-- alone; it is here until the server has it, and then it is gone.
create table secret_pages (
  tenant text not null,
  id text not null,
  server text not null,
  public_key text not null,
  opened_at bigint not null,
  decide_by bigint not null,
  expires_at bigint not null,
  -- Whose page it is, and the ask that it answers: set once each, when the server's question passes the gateway.
  principal text,
  ask_id text,
  sealed text,
  handed_at bigint,
  collections integer not null default 0,
  -- From then on nobody gets it any more.
  released_at bigint,
  primary key (tenant, id)
);

create index secret_pages_of_server on secret_pages (tenant, server, expires_at);
create index secret_pages_expired on secret_pages (expires_at);
