// The two parts that add an entry to a tenant's audit log, inside the step that the entry is about.
//
// `head` advances the end of the chain: its row is the lock that orders entries, held only until the step commits. `entry`
// inserts the entry. The hash is the one that core's `linkHash` defines.

import type { Params, Part } from '../engine/statement.ts'

/** The parameters of both parts. `body` is JSON text, `body_digest` its digest. */
export type RecordedParams = Params & { readonly body: string; readonly body_digest: string }

/**
 * @param from the part whose single row, if any, is recorded; it returns `tenant` and `id`
 * @param kind an SQL expression for the kind of entry, over a row `c` of that part
 */
export function recorded(from: string, kind: string): Part[] {
  return [
    {
      name: 'head',
      returns: ['tenant', 'seq', 'hash'],
      sql: `
        update audit_heads set
          seq = audit_heads.seq + 1,
          hash = sha256hex(audit_heads.hash || '|' || (audit_heads.seq + 1) || '|' || :now || '|' || ${kind}
            || '|' || c.id || '|' || :body_digest)
        from ${from} c
        where audit_heads.tenant = c.tenant
        returning audit_heads.tenant, audit_heads.seq, audit_heads.hash`,
    },
    {
      name: 'entry',
      sql: `
        insert into audit_entries (tenant, seq, at, kind, subject, digest, body, hash)
        select h.tenant, h.seq, :now, ${kind}, c.id, :body_digest, :body, h.hash
        from head h join ${from} c on c.tenant = h.tenant`,
    },
  ]
}

/** Nothing changes if it cannot be recorded: every audited step has this condition in its where clause. */
export const isRecordable = 'exists (select 1 from audit_heads where audit_heads.tenant = :tenant)'
