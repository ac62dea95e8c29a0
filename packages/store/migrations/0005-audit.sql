-- One chain per tenant. The head row is its end: whoever adds an entry updates it in the same transaction.
create table audit_heads (
  tenant text not null,
  seq bigint not null,
  hash text not null,
  primary key (tenant)
);

create table audit_entries (
  tenant text not null,
  seq bigint not null,
  at bigint not null,
  kind text not null,
  subject text not null,
  digest text not null,
  body text not null,
  hash text not null,
  primary key (tenant, seq)
);

create table audit_checkpoints (
  tenant text not null,
  seq bigint not null,
  hash text not null,
  at bigint not null,
  key_id text not null,
  signature text not null,
  primary key (tenant, seq, key_id)
);
