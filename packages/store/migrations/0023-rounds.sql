-- Rounds towards a server that carry an answer given in the inbox or the terminal: claimed once before anything is sent, with
-- the outcome that every retry gets.
create table rounds (
  tenant text not null,
  id text not null,
  principal text not null,
  -- The replica that claimed it. A claim has no end of its own: only the owner knows how far it came.
  owner text not null,
  claimed_at bigint not null,
  expires_at bigint not null,
  outcome text,
  ended_at bigint,
  primary key (tenant, id)
);

create index rounds_expired on rounds (expires_at);

-- One row per gateway process that something in this database waits for, and until when the process counts as alive.
create table replicas (
  id text not null,
  lease_until bigint not null,
  primary key (id)
);

create index replicas_leases on replicas (lease_until);
