// The part that adds an entry to a tenant's audit log, inside the step that the entry is about.
//
// It inserts one row, and waits for no other step: the sequencer (log/) assigns the entry's place in the log later.

import type { Params, Part } from '../engine/statement.ts'

/** Made by `Audit.body`. */
export type RecordedParams = Params & {
  /** JSON text. */
  readonly body: string
  readonly salt: string
  readonly body_digest: string
  readonly assertion_digest: string | null
}

/**
 * @param from the part whose rows are recorded. It returns `tenant`, `id`, which is the subject, and `log_counter`: the number of
 *   this entry among those about the same row, or 0
 * @param kind an SQL expression for the kind of entry, over a row `c` of that part
 */
export function recorded(from: string, kind: string): Part {
  return {
    name: 'entry',
    sql: `
      insert into audit_entries (tenant, at, kind, subject, counter, digest, assertion_digest, salt, body)
      select c.tenant, :now, ${kind}, c.id, c.log_counter, :body_digest, cast(:assertion_digest as text), :salt, :body
      from ${from} c`,
  }
}
