import { query } from '../engine/statement.ts'

/** Creates the chain of a tenant, unless it exists. */
export const beginChain = query<{ tenant: string; genesis_hash: string }>(
  'begin_chain',
  `insert into audit_heads (tenant, seq, hash) values (:tenant, 0, :genesis_hash) on conflict (tenant) do nothing`,
)
