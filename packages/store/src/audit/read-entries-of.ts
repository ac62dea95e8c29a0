import { query } from '../engine/statement.ts'
import type { EntryRow } from './read-entries.ts'

/** The entries about an ask and its grant, each with the hash of the entry before it. */
export const readEntriesOf = query<
  { tenant: string; ask_id: string; grant_id: string },
  EntryRow & { previous_hash: string | null }
>(
  'read_entries_of',
  `select e.tenant, e.seq, e.at, e.kind, e.subject, e.digest, e.body, e.hash, p.hash as previous_hash
   from audit_entries e left join audit_entries p on p.tenant = e.tenant and p.seq = e.seq - 1
   where e.tenant = :tenant and e.subject in (:ask_id, :grant_id) and e.kind <> 'note'
   order by e.seq`,
)
