import { backgroundQuery } from '../engine/statement.ts'

export type EntryRow = {
  tenant: string
  seq: number
  at: number
  kind: string
  subject: string
  digest: string
  body: string
  hash: string
}

/** A page of one tenant's chain, in order. */
export const readEntries = backgroundQuery<{ tenant: string; after_seq: number; at_most: number }, EntryRow>(
  'read_entries',
  `select tenant, seq, at, kind, subject, digest, body, hash from audit_entries
   where tenant = :tenant and seq > cast(:after_seq as bigint)
   order by seq limit cast(:at_most as bigint)`,
)
