// Edits that someone with write access to the database can make, in SQL that both engines understand. For tests of the
// store and for proofs that edit the database of a running program.
//
// Each one is applied to an ask in the state `on`. It tries either to release a call that was not approved (`aim: 'release'`), or
// to change the history (`aim: 'history'`). None may release anything, and `audit verify` reports every one.

import { canonicalJson, saltedDigest } from '@assent/core'

export type Run = (sql: string) => Promise<readonly unknown[]>

/**
 * What an edit starts from. An `unvoted` ask needs two approvals and has none, `voted` has one and `quorum` both. `used` is
 * accepted, and its grant is used.
 */
export type EditedState =
  | 'open'
  | 'accepted'
  | 'used'
  | 'declined'
  | 'expired'
  | 'withdrawn'
  | 'unvoted'
  | 'voted'
  | 'quorum'

export interface EditTarget {
  readonly tenant: string
  readonly id: string
  /** Another ask of the same tenant and question, accepted by the same person, with an unused grant. */
  readonly other: string
}

export interface DatabaseEdit {
  readonly title: string
  readonly on: EditedState
  readonly aim: 'release' | 'history'
  apply(run: Run, target: EditTarget): Promise<void>
}

type Sql = (target: EditTarget & { readonly row: string; readonly otherRow: string }) => string | readonly string[]

function edit(title: string, on: EditedState, aim: DatabaseEdit['aim'], sql: Sql): DatabaseEdit {
  return {
    title,
    on,
    aim,
    apply: async (run, target) => {
      const rowOf = (id: string) => `tenant = '${target.tenant}' and id = '${id}'`
      for (const one of [sql({ ...target, row: rowOf(target.id), otherRow: rowOf(target.other) })].flat())
        await run(one)
    },
  }
}

const yes = `'{"action":"accept"}'`
const settledByCeo = `state = 'settled', answer = ${yes}, decided_by = 'ceo', decided_via = 'inbox', decision_id = 'x',
  ended_at = raised_at + 1, withdrawn_because = null, accepts = 1`
const copied = (column: string, from: string) =>
  `${column} = (select o.${column} from (select * from asks where ${from}) o)`

export const databaseEdits: readonly DatabaseEdit[] = [
  edit(
    'an open ask is set to accepted',
    'open',
    'release',
    ({ row }) => `update asks set ${settledByCeo} where ${row}`,
  ),
  edit('an open ask gets the decision of another ask', 'open', 'release', ({ row, otherRow }) => {
    const columns = ['answer', 'decided_by', 'decided_via', 'decision_id', 'decision_signature', 'ended_at']
    const values = columns.map((column) => copied(column, otherRow)).join(', ')
    return `update asks set state = 'settled', accepts = 1, ${values} where ${row}`
  }),
  edit('an open ask gets the decision and the ask signature of another ask', 'open', 'release', ({ row, otherRow }) => {
    const columns = [
      'answer',
      'decided_by',
      'decided_via',
      'decision_id',
      'decision_signature',
      'ended_at',
      'signature',
    ]
    const values = columns.map((column) => copied(column, otherRow)).join(', ')
    return `update asks set state = 'settled', accepts = 1, ${values} where ${row}`
  }),
  edit('a decline is turned into an accept', 'declined', 'release', ({ row }) => {
    return `update asks set answer = ${yes}, accepts = 1, declines = 0 where ${row}`
  }),
  edit('a decline is turned into an accept by another person', 'declined', 'release', ({ row }) => {
    return `update asks set ${settledByCeo}, declines = 0 where ${row}`
  }),
  edit('an expired ask is set to accepted', 'expired', 'release', ({ row }) => {
    return `update asks set ${settledByCeo} where ${row}`
  }),
  edit('a withdrawn ask is set to accepted', 'withdrawn', 'release', ({ row }) => {
    return `update asks set ${settledByCeo} where ${row}`
  }),
  edit('a withdrawn ask is reopened', 'withdrawn', 'release', ({ row, tenant, id }) => [
    `update asks set state = 'open', ended_at = null, withdrawn_because = null where ${row}`,
    `update ask_approvers set is_open = 1 where tenant = '${tenant}' and ask_id = '${id}'`,
  ]),
  edit('an expired ask is reopened with a later time', 'expired', 'release', ({ row, tenant, id }) => [
    `update asks set state = 'open', ended_at = null, raised_at = raised_at + 3600000, decide_by = decide_by + 3600000
     where ${row}`,
    `update ask_approvers set is_open = 1, decide_by = decide_by + 3600000 where tenant = '${tenant}' and ask_id = '${id}'`,
  ]),
  edit('a declined ask is reopened', 'declined', 'release', ({ row, tenant, id }) => [
    `update asks set state = 'open', ended_at = null, answer = null, decided_by = null, decided_via = null,
       decision_id = null, decision_signature = null, declines = 0 where ${row}`,
    `update ask_approvers set is_open = 1 where tenant = '${tenant}' and ask_id = '${id}'`,
  ]),
  edit('the deadline of an open ask is moved', 'open', 'release', ({ row }) => {
    return `update asks set decide_by = decide_by + 3600000 where ${row}`
  }),
  edit('the question of an open ask is changed', 'open', 'release', ({ row }) => {
    // The text of an approval, or of a form.
    return `update asks set question = replace(replace(question, 'Roll out', 'Show the status'), '"message":"',
      '"message":"Only show the status. ') where ${row}`
  }),
  edit('the arguments of the action of an open ask are changed', 'open', 'release', ({ row }) => {
    return `update asks set question = replace(question, 'production', 'staging') where ${row}`
  }),
  edit('the digest column of an open ask is changed', 'open', 'release', ({ row }) => {
    return `update asks set digest = 'sha256:${'0'.repeat(64)}' where ${row}`
  }),
  edit('an approver is added to an open ask', 'open', 'release', ({ row, tenant, id }) => [
    `update asks set approval_rule = replace(approval_rule, '"approvers":[', '"approvers":["person:mallory",') where ${row}`,
    `insert into ask_approvers (tenant, ask_id, approver, server, kind, raised_at, decide_by, is_open)
     select tenant, ask_id, 'person:mallory', server, kind, raised_at, decide_by, 1 from ask_approvers
     where tenant = '${tenant}' and ask_id = '${id}' limit 1`,
  ]),
  edit('an open ask is given to another principal', 'open', 'release', ({ row }) => {
    return `update asks set principal = 'mallory' where ${row}`
  }),
  edit('an open ask is given to another server', 'open', 'release', ({ row }) => {
    return `update asks set server = 'other' where ${row}`
  }),
  edit('the time for using an approval is lengthened', 'open', 'release', ({ row }) => {
    return `update asks set use_within = use_within + 3600000 where ${row}`
  }),
  edit('the number of approvals needed is lowered in its column', 'voted', 'release', ({ row }) => {
    return `update asks set approvals_needed = 1 where ${row}`
  }),
  edit('the number of approvals needed is lowered everywhere', 'voted', 'release', ({ row }) => {
    return `update asks set approvals_needed = 1, approval_rule = replace(approval_rule, '"approvals":2', '"approvals":1')
      where ${row}`
  }),
  edit('the counter of accepts is raised', 'unvoted', 'release', ({ row }) => {
    return `update asks set accepts = accepts + 1 where ${row}`
  }),
  edit('one of two approvals is turned into the decision', 'voted', 'release', ({ row, tenant, id }) => {
    const vote = (column: string) =>
      `(select v.${column} from votes v where v.tenant = '${tenant}' and v.ask_id = '${id}')`
    return `update asks set state = 'settled', accepts = 2, answer = ${vote('answer')}, decided_by = ${vote('voter')},
      decided_via = ${vote('via')}, decision_id = ${vote('decision_id')}, decision_signature = ${vote('signature')},
      ended_at = ${vote('voted_at')} where ${row}`
  }),
  edit('a second vote is copied from the first', 'voted', 'release', ({ row, tenant, id }) => [
    `insert into votes (tenant, ask_id, voter, answer, via, decision_id, place, voted_at, signature)
     select tenant, ask_id, 'ben', answer, via, decision_id, 2, voted_at, signature from votes
     where tenant = '${tenant}' and ask_id = '${id}'`,
    `update asks set state = 'settled', accepts = 2, answer = ${yes}, decided_by = 'ben', decided_via = 'inbox',
       ended_at = raised_at + 1,
       decision_id = (select v.decision_id from votes v where v.tenant = '${tenant}' and v.ask_id = '${id}' and v.place = 1),
       decision_signature = (select v.signature from votes v
         where v.tenant = '${tenant}' and v.ask_id = '${id}' and v.place = 1)
     where ${row}`,
  ]),
  edit('a vote is deleted', 'quorum', 'release', ({ tenant, id }) => {
    return `delete from votes where tenant = '${tenant}' and ask_id = '${id}' and place = 1`
  }),
  edit('the person who decided is changed', 'accepted', 'history', ({ row }) => {
    return `update asks set decided_by = 'mallory' where ${row}`
  }),
  edit('the surface of a decision is changed', 'accepted', 'history', ({ row }) => {
    return `update asks set decided_via = 'client' where ${row}`
  }),
  edit('the decision id is changed', 'accepted', 'history', ({ row }) => {
    return `update asks set decision_id = 'decision_x' where ${row}`
  }),
  edit('an accept is turned into a decline', 'accepted', 'history', ({ row }) => {
    return `update asks set answer = '{"action":"decline"}', accepts = 0, declines = 1 where ${row}`
  }),
  edit('a comment is added to a decision', 'accepted', 'history', ({ row }) => {
    return `update asks set answer = '{"action":"accept","comment":"fine by me"}' where ${row}`
  }),
  edit('the answer that lists and statistics show is changed', 'accepted', 'history', ({ row }) => {
    return `update asks set person_answer = 'declined' where ${row}`
  }),
  edit('the time of a decision is changed', 'accepted', 'history', ({ row }) => {
    return `update asks set ended_at = ended_at + 60000 where ${row}`
  }),
  edit('all signatures of an accepted ask are removed', 'accepted', 'release', ({ row }) => {
    return `update asks set signature = null, decision_signature = null where ${row}`
  }),
  edit('an accepted ask is set to withdrawn', 'accepted', 'history', ({ row }) => {
    return `update asks set state = 'withdrawn', withdrawn_because = 'caller-gone' where ${row}`
  }),
  edit('an accepted ask is deleted', 'accepted', 'history', ({ row }) => `delete from asks where ${row}`),
  edit('a grant is made for a declined ask', 'declined', 'release', ({ row }) => {
    return `insert into grants (tenant, id, ask_id, digest, principal, granted_at, expires_at)
      select tenant, 'grant_forged', id, digest, principal, ended_at, ended_at + use_within from asks where ${row}`
  }),
  edit('a grant is copied from another ask', 'declined', 'release', ({ row, tenant, other }) => {
    const signature = `(select g.signature from grants g where g.tenant = '${tenant}' and g.ask_id = '${other}')`
    return `insert into grants (tenant, id, ask_id, digest, principal, granted_at, expires_at, signature)
      select tenant, 'grant_forged', id, digest, principal, ended_at, ended_at + use_within, ${signature}
      from asks where ${row}`
  }),
  edit('the use of a grant is cleared', 'used', 'release', ({ tenant, id }) => {
    return `update grants set used_at = null, used_by = null where tenant = '${tenant}' and ask_id = '${id}'`
  }),
  edit('a used grant gets a new id', 'used', 'release', ({ tenant, id }) => {
    return `update grants set id = 'grant_forged', used_at = null, used_by = null
      where tenant = '${tenant}' and ask_id = '${id}'`
  }),
  edit('a grant is valid for longer', 'accepted', 'release', ({ tenant, id }) => {
    return `update grants set expires_at = expires_at + 3600000 where tenant = '${tenant}' and ask_id = '${id}'`
  }),
  edit('a grant is for another action', 'accepted', 'release', ({ tenant, id }) => {
    return `update grants set digest = 'sha256:${'0'.repeat(64)}' where tenant = '${tenant}' and ask_id = '${id}'`
  }),
  edit('a grant is for another principal', 'accepted', 'release', ({ tenant, id }) => {
    return `update grants set principal = 'mallory' where tenant = '${tenant}' and ask_id = '${id}'`
  }),
  edit('a grant is deleted', 'accepted', 'history', ({ tenant, id }) => {
    return `delete from grants where tenant = '${tenant}' and ask_id = '${id}'`
  }),
  edit('a grant is marked as used', 'accepted', 'history', ({ tenant, id }) => {
    return `update grants set used_at = granted_at, used_by = 'x' where tenant = '${tenant}' and ask_id = '${id}'`
  }),
  {
    title: 'the last entry is removed, and the log begins anew',
    on: 'accepted',
    aim: 'history',
    apply: (run, target) => rewriteLog(run, target, (entries) => entries.slice(0, -1)),
  },
  {
    title: 'the entry of a decision names another person, and the log begins anew',
    on: 'accepted',
    aim: 'history',
    apply: (run, target) => rewriteLog(run, target, (entries) => entries.map((entry) => byCeo(entry, target.id))),
  },
  {
    title: 'the entry of a decision and its row name another person, and the log begins anew',
    on: 'accepted',
    aim: 'history',
    apply: async (run, target) => {
      await rewriteLog(run, target, (entries) => entries.map((entry) => byCeo(entry, target.id)))
      await run(`update asks set decided_by = 'ceo' where tenant = '${target.tenant}' and id = '${target.id}'`)
    },
  },
  {
    title: 'a decline becomes an accept in the row and in the audit log, and the log begins anew',
    on: 'declined',
    aim: 'release',
    apply: async (run, target) => {
      const { tenant, id } = target
      await rewriteLog(run, target, (entries) => entries.map((entry) => accepted(entry, id)))
      await run(
        `update asks set answer = ${yes}, accepts = 1, declines = 0 where tenant = '${tenant}' and id = '${id}'`,
      )
    },
  },
  {
    title: 'the entry of a decision is removed, and the log begins anew',
    on: 'accepted',
    aim: 'history',
    apply: (run, target) =>
      rewriteLog(run, target, (entries) =>
        entries.filter(({ subject, kind }) => subject !== target.id || kind !== 'ask.settled'),
      ),
  },
]

/** The columns of an entry that a rewritten log keeps. */
type StoredEntry = Readonly<Record<'id' | 'at' | 'kind' | 'subject' | 'counter' | 'salt' | 'body', string>> & {
  readonly assertion_digest: string | null
}

function byCeo(entry: StoredEntry, id: string): StoredEntry {
  return changed(entry, id, (body) => ({ ...body, by: 'ceo' }))
}

function accepted(entry: StoredEntry, id: string): StoredEntry {
  return changed(entry, id, (body) => ({ ...body, answer: { action: 'accept' } }))
}

function changed(entry: StoredEntry, id: string, change: (body: object) => object): StoredEntry {
  if (entry.subject !== id || entry.kind !== 'ask.settled') return entry
  return { ...entry, body: canonicalJson(change(JSON.parse(entry.body))) }
}

/**
 * Rewrites the tenant's entries with digests that match, and deletes the log above them: the sequencer then begins a new one and
 * signs it. Without the key ring, no more can be done.
 */
async function rewriteLog(
  run: Run,
  { tenant }: EditTarget,
  change: (entries: StoredEntry[]) => StoredEntry[],
): Promise<void> {
  const rows = (await run(
    `select cast(id as text) as id, cast(at as text) as at, kind, subject, cast(counter as text) as counter,
       assertion_digest, salt, body from audit_entries where tenant = '${tenant}' order by audit_entries.id`,
  )) as StoredEntry[]
  for (const table of ['audit_entries', 'log_heads', 'log_index', 'log_tiles']) {
    await run(`delete from ${table} where tenant = '${tenant}'`)
  }
  for (const { id, at, kind, subject, counter, assertion_digest, salt, body } of change([...rows])) {
    const digest = saltedDigest(Buffer.from(salt, 'hex'), body)
    const values = [tenant, id, at, kind, subject, counter, digest, salt, body]
    const written = values.map((value) => `'${value.replaceAll("'", "''")}'`)
    const assertion = assertion_digest === null ? 'null' : `'${assertion_digest}'`
    await run(
      `insert into audit_entries (tenant, id, at, kind, subject, counter, digest, salt, body, assertion_digest)
       values (${[...written, assertion].join(', ')})`,
    )
  }
}
