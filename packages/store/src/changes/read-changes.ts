import { query } from '../engine/statement.ts'

export type ChangeRow = { seq: number; kind: string; subject: string }

/**
 * Changes to the asks of one tenant, in commit order.
 *
 * Only the audit chain guarantees that no entry appears before one that was read already: its numbers are assigned under the
 * lock that the deciding transaction holds until its commit.
 */
export const readChanges = query<{ tenant: string; after_seq: number; at_most: number }, ChangeRow>(
  'read_changes',
  `select seq, kind, subject from audit_entries
   where tenant = :tenant and seq > cast(:after_seq as bigint)
   order by seq limit cast(:at_most as bigint)`,
)
