-- Definitions of tools that were called under a policy: the first one of each tool, and the changes since.

create table tool_definitions (
  tenant text not null,
  -- The subject of its audit entries.
  id text not null,
  server text not null,
  tool text not null,
  -- Of the name, the input schema and the annotations.
  digest text not null,
  description_digest text not null,
  -- What the digests cover, as canonical JSON.
  definition text not null,
  -- 1 for the definition at the first call, which needs no acceptance. A tool has one.
  is_first integer not null,
  seen_at bigint not null,
  -- The ask in which an owner of the policies can accept it.
  ask_id text,
  accepted_at bigint,
  -- The principal of that owner; empty for the first definition.
  accepted_by text,
  -- By the key ring, of an accepted definition.
  signature text,
  primary key (tenant, server, tool, digest, description_digest)
);

-- Of two replicas that pin a tool at the same moment, one is refused.
create unique index tool_definitions_first on tool_definitions (tenant, server, tool) where is_first = 1;
