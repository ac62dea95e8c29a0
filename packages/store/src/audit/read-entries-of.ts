import type { IdKind } from '@assent/core'
import { backgroundQuery, query } from '../engine/statement.ts'

/** An entry as the database has it. `place` is null until the sequencer has added it to the log. */
export type EntryRow = {
  tenant: string
  id: number
  place: number | null
  at: number
  kind: string
  subject: string
  counter: number
  digest: string
  assertion_digest: string | null
  salt: string | null
  body: string | null
  hash: string | null
}

export const entryColumns = `e.tenant, e.id, i.place, e.at, e.kind, e.subject, e.counter, e.digest, e.assertion_digest,
  e.salt, e.body, i.hash`
export const entryTables = 'audit_entries e left join log_index i on i.tenant = e.tenant and i.entry_id = e.id'

/**
 * The entries `e` about things whose ids begin with this word. The collation of the database may ignore or move punctuation, but not the
 * letters: their range uses the index.
 */
export function aboutEach(kind: IdKind): string {
  const next = String.fromCharCode(kind.charCodeAt(0) + 1)
  return `e.subject > '${kind.charAt(0)}' and e.subject < '${next}' and substr(e.subject, 1, ${kind.length + 1}) = '${kind}_'
     and e.kind <> 'note'`
}

/** The entries about an ask and its grant. */
export const readEntriesOf = query<{ tenant: string; ask_id: string; grant_id: string }, EntryRow>(
  'read_entries_of',
  `select ${entryColumns} from ${entryTables}
   where e.tenant = :tenant and e.subject in (:ask_id, :grant_id) and e.kind <> 'note'
   order by e.id`,
)

/** The entries that record erasures. */
export const readErasures = backgroundQuery<{ tenant: string; subject: string }, EntryRow>(
  'read_erasures',
  `select ${entryColumns} from ${entryTables}
   where e.tenant = :tenant and e.subject = :subject and e.kind <> 'note' and e.kind = 'record.erased'
   order by e.id`,
)
