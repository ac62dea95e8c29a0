import { query } from '../engine/statement.ts'

export type ChangeRow = { seq: number; kind: string; subject: string }

/**
 * What happened to asks of one tenant, in the order in which it was committed.
 *
 * The audit chain is the one list in which nothing can appear before something already seen: its numbers are given out
 * under the lock that the deciding transaction holds until its commit.
 */
export const readChanges = query<{ tenant: string; after_seq: number; at_most: number }, ChangeRow>(
  'read_changes',
  `select seq, kind, subject from audit_entries
   where tenant = :tenant and seq > cast(:after_seq as bigint)
   order by seq limit cast(:at_most as bigint)`,
)
