-- Calls whose caller was sent away while a person decides, and may fetch what comes of them later. What is needed to go on
-- is sealed: it can be opened by the gateway alone.
create table deferred_calls (
  tenant text not null,
  id text not null,
  principal text not null,
  state text not null,
  deferred_at bigint not null,
  expires_at bigint not null,
  -- Set once, by whoever goes on with the call. From then on nobody else may, whatever became of them.
  claimed_at bigint,
  outcome text,
  ended_at bigint,
  primary key (tenant, id)
);

create index deferred_calls_expired on deferred_calls (expires_at);
