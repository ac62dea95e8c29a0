-- A yes that may be used once. One ask gives at most one.
create table grants (
  tenant text not null,
  id text not null,
  ask_id text not null,
  digest text not null,
  principal text not null,
  granted_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  used_by text,
  primary key (tenant, id),
  unique (tenant, ask_id)
);

-- Ids of sealed states that came back. A second insert of the same id is a replay.
create table used_ids (
  tenant text not null,
  id text not null,
  expires_at bigint not null,
  primary key (tenant, id)
);

create index used_ids_expired on used_ids (expires_at);
