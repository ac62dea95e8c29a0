// Erases texts of asks that ended: in their rows, and in the entries of the audit log about them and their grants.
//
// The owner of the tables runs these statements. The role of the gateways can change no entry of the audit log.

import { retentionLimits } from '@assent/core'
import { backgroundQuery, type Part, type Statement } from '../engine/statement.ts'

/** Entries about an ask that are compared with its row. The others about it, `ask.unverified`, have no text of anyone. */
const kinds = `kind in ('ask.raised', 'ask.voted', 'ask.settled', 'ask.undelivered', 'ask.expired', 'ask.withdrawn', 'grant.used')`

/** The caller of an ask `a` can neither fetch its answer any more nor use it. */
const isOver = `a.state <> 'open' and a.erased_at is null
  and a.decide_by + a.use_within < :now - ${retentionLimits.inUseMs}`

export type DueParams = { tenant: string; before: number; after_at: number; after_id: string; at_most: number }

/**
 * A page of asks that ended before this time, and whether each can be erased. One to which something happened since cannot: the log
 * allows to erase only what is older.
 *
 * The page first, and counts in place of `not exists`: PostgreSQL would otherwise read all entries and grants for each page.
 */
export const findDueAsks = backgroundQuery<DueParams, { id: string; ended_at: number; is_due: number }>(
  'find_due_asks',
  `select a.id, a.ended_at, case when ${isOver}
     and (select count(*) from audit_entries e where e.tenant = a.tenant and e.subject = a.id and e.kind <> 'note'
       and e.${kinds} and e.at >= cast(:before as bigint)) = 0
     and (select count(*) from grants g where g.tenant = a.tenant and g.ask_id = a.id
       and g.used_at >= cast(:before as bigint)) = 0
     then 1 else 0 end as is_due
   from (
     select * from asks where tenant = :tenant and ended_at is not null and erased_at is null
       and ended_at < cast(:before as bigint) and (ended_at, id) > (cast(:after_at as bigint), :after_id)
     order by ended_at, id limit cast(:at_most as bigint)
   ) a order by a.ended_at, a.id`,
)

/** A list of ids in a parameter, and the ids that earlier parts returned. The array keeps PostgreSQL from reading the whole table. */
function among(column: string, ids: string): { readonly sql: string; readonly sqlite: string } {
  return { sql: `${column} = any(array(${ids}))`, sqlite: `${column} in (${ids})` }
}

const listed = {
  sql: 'select jsonb_array_elements_text(cast(:ids as jsonb))',
  sqlite: 'select value from json_each(:ids)',
}

function part(name: string, sql: (condition: string) => string, { sql: one, sqlite }: ReturnType<typeof among>): Part {
  return { name, sql: sql(one), sqlite: sql(sqlite) }
}

/** The entry of the log that records what is erased, if there is something. */
export function recording(from: string): Part {
  return {
    name: 'entry',
    sql: `insert into audit_entries (tenant, at, kind, subject, counter, digest, assertion_digest, salt, body)
      select cast(:tenant as text), :now, 'record.erased', cast(:subject as text), 0, cast(:body_digest as text),
        cast(:assertion_digest as text), cast(:salt as text), cast(:body as text)
      where cast(:records as integer) = 1 and exists (select 1 from ${from})`,
  }
}

export type RecordingParams = {
  tenant: string
  subject: string
  body: string
  salt: string
  body_digest: string
  assertion_digest: string | null
  /** 1 to add the entry. */
  records: number
}

const listedAsks = { sql: `a.id = any(array(${listed.sql}))`, sqlite: `a.id in (${listed.sqlite})` }

/** @param person whose name is removed too; null to keep who asked and who decided */
export const eraseAsks: Statement<RecordingParams & { ids: string; person: string | null }, { id: string }> = {
  name: 'erase_asks',
  result: 'erased',
  isBackground: true,
  parts: [
    {
      ...part(
        'erased',
        (condition) => `
          update asks as a set question = '', approval_rule = '', caller = null, call_id = null, digest = null, answer = null,
            decided_groups = null, presence = null, signature = null, decision_signature = null, fast_action = null, fast_after = null,
            secret_until = null, waits_at = null, waits_in = null, erased_at = :now,
            principal = case when principal = cast(:person as text) then '' else principal end,
            decided_by = case when decided_by = cast(:person as text) then null else decided_by end
          where tenant = :tenant and ${condition} and ${isOver} returning id`,
        listedAsks,
      ),
      returns: ['id'],
    },
    {
      ...part(
        'ungranted',
        (condition) => `delete from grants where tenant = :tenant and ${condition} returning id`,
        among('ask_id', 'select id from erased'),
      ),
      returns: ['id'],
    },
    part(
      'untexted',
      (condition) => `update audit_entries set salt = null, body = null
        where tenant = :tenant and ${condition} and kind <> 'note' and ${kinds} and body is not null`,
      among('subject', 'select id from erased union all select id from ungranted'),
    ),
    ...['ask_approvers', 'votes', 'outbox'].map((table) =>
      part(
        `no_${table}`,
        (condition) => `delete from ${table} where tenant = :tenant and ${condition}`,
        among('ask_id', 'select id from erased'),
      ),
    ),
    recording('erased'),
  ],
}

/** The digests of what `eraseAsks` would erase of these asks. */
export const readTextDigests: Statement<{ tenant: string; ids: string }, { digest: string }> = {
  name: 'read_text_digests',
  result: 'only',
  isBackground: true,
  parts: [
    part(
      'only',
      (condition) => `
        select digest from audit_entries where tenant = :tenant and ${condition} and kind <> 'note' and ${kinds}
          and body is not null`,
      {
        sql: `subject = any(array(${listed.sql} union all select g.id from grants g
          where g.tenant = :tenant and g.ask_id = any(array(${listed.sql}))))`,
        sqlite: `subject in (${listed.sqlite} union all select g.id from grants g
          where g.tenant = :tenant and g.ask_id in (${listed.sqlite}))`,
      },
    ),
  ],
}

/** Erased asks whose record is no longer needed. From the last one on, so that no step reads the index entries of deleted rows again. */
export const deleteAsks: Statement<
  { tenant: string; before: number; after_at: number; at_most: number },
  { ended_at: number }
> = {
  name: 'delete_asks',
  result: 'only',
  isBackground: true,
  parts: [
    part(
      'only',
      (condition) => `delete from asks where tenant = :tenant and ${condition} returning ended_at`,
      among(
        'id',
        `select a.id from asks a
         where a.tenant = :tenant and a.ended_at is not null and a.erased_at is not null
           and a.ended_at < cast(:before as bigint) and a.ended_at >= cast(:after_at as bigint)
         order by a.ended_at limit cast(:at_most as bigint)`,
      ),
    ),
  ],
}

export const countErasedAsks = backgroundQuery<{ tenant: string; before: number }, { due: number }>(
  'count_erased_asks',
  `select count(*) as due from asks a
   where a.tenant = :tenant and a.ended_at is not null and a.erased_at is not null and a.ended_at < cast(:before as bigint)`,
)

/** A page of all asks, and whether each names this person: as the one who asked, may decide, decided or voted. */
export const readAsksNaming = backgroundQuery<
  { tenant: string; after: string; person: string; approver: string; at_most: number },
  { id: string; is_erased: number; is_theirs: number; is_over: number }
>(
  'read_asks_naming',
  `select a.id, case when a.erased_at is null then 0 else 1 end as is_erased, case when ${isOver} then 1 else 0 end as is_over,
     case when a.principal = :person or a.decided_by = :person
       or exists (select 1 from ask_approvers w where w.tenant = a.tenant and w.ask_id = a.id and w.approver = :approver)
       or exists (select 1 from votes v where v.tenant = a.tenant and v.ask_id = a.id and v.voter = :person)
     then 1 else 0 end as is_theirs
   from (select * from asks where tenant = :tenant and id > :after order by id limit cast(:at_most as bigint)) a
   order by a.id`,
)

/** For asks that were erased earlier, with who asked and who decided left in their rows. */
export const removeName: Statement<{ tenant: string; ids: string; person: string }, { id: string }> = {
  name: 'remove_name',
  result: 'only',
  isBackground: true,
  parts: [
    part(
      'only',
      (condition) => `
        update asks as a set principal = case when principal = :person then '' else principal end,
          decided_by = case when decided_by = :person then null else decided_by end
        where tenant = :tenant and ${condition} and erased_at is not null returning id`,
      listedAsks,
    ),
  ],
}
