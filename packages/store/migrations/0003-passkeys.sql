-- Passkeys, and the decisions that they signed.

-- Whether accepting the ask needs a passkey; and the signature of the deciding vote's passkey, as JSON.
alter table asks add column needs_presence integer;
alter table asks add column presence text;
alter table votes add column presence text;

create table passkeys (
  tenant text not null,
  id text not null,
  principal text not null,
  -- Chosen by the authenticator.
  credential_id text not null,
  public_key text not null,
  algorithm text not null,
  -- The host that it was made for.
  rp_id text not null,
  name text not null,
  -- The number of this key among all that the person ever had. Of two first keys that are added at once, one is refused.
  place integer not null,
  -- The counter of the authenticator at its last use; it stays 0 for keys that are synchronised between devices.
  sign_count bigint not null,
  added_at bigint not null,
  last_used_at bigint,
  removed_at bigint,
  -- By the key ring.
  signature text not null,
  primary key (tenant, id),
  unique (tenant, credential_id),
  unique (tenant, principal, place)
);
