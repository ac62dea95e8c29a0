import { query } from '../engine/statement.ts'

/** Gives a tenant its chain. Does nothing when it has one: the first to arrive begins it for all. */
export const beginChain = query<{ tenant: string; genesis_hash: string }>(
  'begin_chain',
  `insert into audit_heads (tenant, seq, hash) values (:tenant, 0, :genesis_hash) on conflict (tenant) do nothing`,
)
