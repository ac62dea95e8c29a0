-- What a handler does once per call: claimed before it is done, with what came of it afterwards.
create table steps (
  tenant text not null,
  call_id text not null,
  name text not null,
  owner text not null,
  begun_at bigint not null,
  expires_at bigint not null,
  outcome text,
  primary key (tenant, call_id, name)
);

create index steps_expired on steps (expires_at);
