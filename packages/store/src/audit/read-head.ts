import { query } from '../engine/statement.ts'

/** The end of a tenant's chain, with the database's time. */
export const readHead = query<{ tenant: string }, { seq: number; hash: string; now: number }>(
  'read_head',
  `select seq, hash, :now as now from audit_heads where tenant = :tenant`,
)
