-- The audit log as a transparency log (Merkle tree) in place of a hash chain. Older versions cannot work with it.

insert into migrations (name, digest) values ('needs 0010-transparency-log.sql', '');

drop table audit_checkpoints;
drop table audit_entries;
drop table audit_heads;

-- How many audit entries there are about the row: the number of the last one.
alter table asks add column log_counter integer not null default 0;
alter table grants add column log_counter integer not null default 0;
alter table calls add column log_counter integer not null default 0;
alter table passkeys add column log_counter integer not null default 0;
alter table tool_definitions add column log_counter integer not null default 0;

-- The place of each entry in the log. Only the sequencer writes these three tables; no decision waits for it.
create table log_index (
  tenant text not null,
  -- From 0.
  place bigint not null,
  entry_id bigint not null,
  -- Of the leaf: hexadecimal.
  hash text not null,
  primary key (tenant, place),
  unique (tenant, entry_id)
);

-- Tiles of hashes as in c2sp.org/tlog-tiles. The last tile of a level grows; every partial tile is a prefix of it.
create table log_tiles (
  tenant text not null,
  level integer not null,
  place bigint not null,
  -- base64
  hashes text not null,
  primary key (tenant, level, place)
);

create table log_heads (
  tenant text not null,
  -- The identity of the log: it never changes.
  origin text not null,
  -- The entries in the log, and the root of its tree (base64). The size is the lock: a process that changes it names the size before.
  size bigint not null,
  root text not null,
  -- The signed note; empty before the first entry.
  checkpoint text not null,
  signed_at bigint not null,
  -- Which entries are in the log: those that were visible here.
  position text not null,
  -- The process that integrates entries, and until when the others leave that to it.
  sequencer text,
  lease_until bigint,
  primary key (tenant)
);
