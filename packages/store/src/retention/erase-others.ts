// Erases notes of the audit log, and what is stored about a person besides asks. The owner of the tables runs these statements.

import { backgroundQuery, type Part, type Statement } from '../engine/statement.ts'
import { type RecordingParams, recording } from './erase-asks.ts'

/** Whether this role may erase: on SQLite there are no roles. */
export const mayErase: Statement<Record<string, never>, { may: number; role: string }> = {
  name: 'may_erase',
  result: 'only',
  isBackground: true,
  parts: [
    {
      name: 'only',
      sql: `select case when has_table_privilege('audit_entries', 'update') and has_table_privilege('asks', 'delete')
        then 1 else 0 end as may, current_user as role`,
      sqlite: `select 1 as may, '' as role`,
    },
  ],
}

const listed = {
  sql: '= any(array(select cast(jsonb_array_elements_text(cast(:ids as jsonb)) as bigint)))',
  sqlite: 'in (select value from json_each(:ids))',
}

export const findDueNotes = backgroundQuery<
  { tenant: string; before: number; after_at: number; after_id: number; at_most: number },
  { id: number; at: number }
>(
  'find_due_notes',
  `select id, at from audit_entries
   where tenant = :tenant and kind = 'note' and body is not null and at < cast(:before as bigint)
     and (at, id) > (cast(:after_at as bigint), cast(:after_id as bigint))
   order by at, id limit cast(:at_most as bigint)`,
)

export const countDueNotes = backgroundQuery<{ tenant: string; before: number }, { due: number }>(
  'count_due_notes',
  `select count(*) as due from audit_entries
   where tenant = :tenant and kind = 'note' and body is not null and at < cast(:before as bigint)`,
)

/** A page of all notes with a text, and whether the text has this JSON string. */
export const readNotesNaming: Statement<
  { tenant: string; after_at: number; after_id: number; name: string; at_most: number },
  { id: number; at: number; digest: string; is_theirs: number }
> = {
  name: 'read_notes_naming',
  result: 'only',
  isBackground: true,
  parts: [pageOfNotes('strpos(body, :name)', 'instr(body, :name)')],
}

function pageOfNotes(...found: [sql: string, sqlite: string]): Part {
  const [sql = '', sqlite = ''] = found.map(
    (position) => `
      select id, at, digest, case when ${position} > 0 then 1 else 0 end as is_theirs from audit_entries
      where tenant = :tenant and kind = 'note' and body is not null
        and (at, id) > (cast(:after_at as bigint), cast(:after_id as bigint))
      order by at, id limit cast(:at_most as bigint)`,
  )
  return { name: 'only', sql, sqlite }
}

const eraseNotesWhere = (condition: string) => `
  update audit_entries set salt = null, body = null
  where tenant = :tenant and id ${condition} and kind = 'note' and body is not null returning id`

export const eraseNotes: Statement<RecordingParams & { ids: string }, { id: number }> = {
  name: 'erase_notes',
  result: 'erased',
  isBackground: true,
  parts: [
    {
      name: 'erased',
      sql: eraseNotesWhere(listed.sql),
      sqlite: eraseNotesWhere(listed.sqlite),
      returns: ['id'],
    },
    recording('erased'),
  ],
}

type PersonParams = { tenant: string; person: string }

/** The digests of the entries about a person's passkeys. */
export const readPasskeyDigests = backgroundQuery<PersonParams, { digest: string }>(
  'read_passkey_digests',
  `select e.digest from passkeys k join audit_entries e on e.tenant = k.tenant and e.subject = k.id
   where k.tenant = :tenant and k.principal = :person and e.kind <> 'note' and e.body is not null`,
)

const ofPasskeys = (condition: string) => `
  update audit_entries set salt = null, body = null where tenant = :tenant and ${condition} and kind <> 'note'`

export const erasePasskeys: Statement<RecordingParams & PersonParams, { id: string }> = {
  name: 'erase_passkeys',
  result: 'erased',
  isBackground: true,
  parts: [
    {
      name: 'erased',
      sql: 'delete from passkeys where tenant = :tenant and principal = :person returning id',
      returns: ['id'],
    },
    {
      name: 'untexted',
      sql: ofPasskeys('subject = any(array(select id from erased))'),
      sqlite: ofPasskeys('subject in (select id from erased)'),
    },
    recording('erased'),
  ],
}

export const deleteSessionsOf = backgroundQuery<PersonParams, { principal: string }>(
  'delete_sessions_of',
  'delete from sessions where tenant = :tenant and principal = :person returning principal',
)

export const deleteLinksOf = backgroundQuery<PersonParams, { principal: string }>(
  'delete_links_of',
  'delete from sign_in_links where tenant = :tenant and principal = :person returning principal',
)

export const deleteRecordedOf = backgroundQuery<PersonParams & { at_most: number }, { id: string }>(
  'delete_recorded_of',
  `delete from recorded_calls where tenant = :tenant and id in (
     select id from recorded_calls where tenant = :tenant and principal = :person limit cast(:at_most as bigint))
   returning id`,
)
