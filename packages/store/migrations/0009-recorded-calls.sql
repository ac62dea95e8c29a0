-- The record of calls (`record: calls`): one row per call, written before or after it ran, completed when it ended.

create table recorded_calls (
  tenant text not null,
  id text not null,
  -- Who called, with their groups at that time as JSON, and the calling program as it names itself.
  principal text not null,
  principal_groups text,
  agent text,
  client text,
  client_version text,
  address text,
  server text not null,
  method text not null,
  -- The name of the tool or prompt, or the address of the resource.
  target text not null,
  digest text not null,
  -- Only if a setting enables it: the arguments as JSON, and pointers to the parts that were left out, as JSON.
  arguments text,
  hidden text,
  -- What the policies decided, and their names as JSON; null if no policy decided.
  effect text,
  policies text,
  ask_id text,
  -- Null until the call has ended.
  outcome text,
  began_at bigint not null,
  ended_at bigint,
  -- When this row was last written, by the clock of the database. An export reads in this order.
  recorded_at bigint not null,
  primary key (tenant, id)
);

create index recorded_calls_order on recorded_calls (tenant, recorded_at, id);
