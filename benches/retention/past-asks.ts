// Fills a database with approvals that ended on past days: their rows, votes, used grants and entries of the audit log.
//
// A few are raised, decided and used through the store. SQL copies their rows under other ids and times, which is much faster. A
// copied entry has the salt, text and digest of the original, so it is valid, and the sequencer's code adds it to the log. Only the
// signatures of a copied ask are not valid; they are erased with its texts.

import { randomBytes } from 'node:crypto'
import { newId } from '@assent/core'
import { openPostgres, type Store } from '@assent/store'
import { keys, question, servers, useWithinMs } from '../store/load.ts'
import type { TestDb } from '../store/test-db.ts'

export const tenant = 'acme'
export const dayMs = 24 * 60 * 60_000
const originals = 40
const decideWithinMs = 60 * 60_000
const copiedAtOnce = 2_500

export interface PastAsks {
  readonly days: number
  readonly perDay: number
  /** The asks of the first day ended after this time. */
  readonly sinceMs: number
}

/** Returns how many asks and entries there are. The asks of day n, from 1, ended before `sinceMs` + n days. */
export async function fillWithPastAsks(testDb: TestDb, { days, perDay, sinceMs }: PastAsks): Promise<Filled> {
  const clock = { ms: sinceMs }
  const store = await openPostgres(testDb.url, { keys, schema: testDb.schema, connections: 4, clock: () => clock.ms })
  try {
    const found: Original[] = []
    for (let n = 0; n < originals; n++) found.push(await anOriginal(store, n))
    // Half an hour at either end, so that no ask ended on another day.
    const stepMs = (dayMs - decideWithinMs) / perDay
    const copies = Array.from({ length: days * perDay }, (_, n) => {
      const { ask, grant } = found[n % originals] as Original
      const shiftMs = Math.floor(n / perDay) * dayMs + Math.round((n % perDay) * stepMs) + decideWithinMs / 2
      const idOf = (kind: 'ask' | 'grant') => newId(kind, sinceMs + shiftMs, randomBytes)
      return `('${ask}','${grant}','${idOf('ask')}','${idOf('grant')}',${shiftMs})`
    })
    for (let from = 0; from < copies.length; from += copiedAtOnce)
      await testDb.rows(copying(copies.slice(from, from + copiedAtOnce)))
    clock.ms = Date.now()
    await store.audit.integrate(tenant)
    await testDb.rows('vacuum (analyze) asks, ask_approvers, votes, grants, audit_entries, log_index, log_tiles')
    await testDb.rows('checkpoint')
    const [row] = await testDb.rows<{ entries: string }>('select count(*) as entries from audit_entries')
    return { asks: originals + copies.length, entries: Number(row?.entries) }
  } finally {
    await store.close()
  }
}

interface Filled {
  readonly asks: number
  readonly entries: number
}

interface Original {
  readonly ask: string
  readonly grant: string
}

/** An approval that was used. Every other one needed two people, whose votes are rows of their own. */
async function anOriginal(store: Store, n: number): Promise<Original> {
  const people = n % 2 === 0 ? ['ann'] : ['ann', 'ben']
  const approvers = people.map((one) => `person:${one}` as const)
  const draft = {
    tenant,
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: `deploy-${n % servers}`, tool: 'rollout' },
    principal: 'agent',
    question: question(),
    approvalRule: { approvers, excluded: [], approvals: people.length, declines: 1 },
    decideWithinMs,
    useWithinMs,
  }
  await store.asks.raise(draft)
  for (const principal of people) {
    const person = { principal, groups: [] }
    await store.asks.answer({ tenant, id: draft.id, person, via: 'inbox', answer: { action: 'accept' } })
  }
  const grant = await store.grants.read(tenant, draft.id)
  if (grant === undefined) throw new Error('The approval of the bench should have a grant.')
  const { id, digest, principal } = grant
  const used = await store.grants.use({ tenant, id, digest, principal, usedBy: 'gateway-1' })
  if (used === undefined) throw new Error('The grant of the bench should be used.')
  return { ask: draft.id, grant: id }
}

/** One statement. Columns that it does not name are copied, so a migration that adds one changes nothing here. */
function copying(copies: readonly string[]): string {
  const copied = (table: string, original: string, changes: string, join = `${table} o on o.${original} = c.ask`) =>
    `insert into ${table} select (jsonb_populate_record(o, jsonb_build_object(${changes}))).* from c join ${join} and o.tenant = '${tenant}'`
  const later = (...columns: readonly string[]) => columns.map((one) => `'${one}', o.${one} + c.later`).join(', ')
  const parts = [
    copied('asks', 'id', `'id', c.ask_id, ${later('raised_at', 'decide_by', 'ended_at')}`),
    copied('ask_approvers', 'ask_id', `'ask_id', c.ask_id, ${later('raised_at', 'decide_by', 'ended_at')}`),
    copied('votes', 'ask_id', `'ask_id', c.ask_id, ${later('voted_at')}`),
    copied('grants', 'ask_id', `'ask_id', c.ask_id, 'id', c.grant_id, ${later('granted_at', 'expires_at', 'used_at')}`),
    `insert into audit_entries (tenant, at, kind, subject, counter, digest, assertion_digest, salt, body)
     select o.tenant, o.at + c.later, o.kind, case when o.subject = c.ask then c.ask_id else c.grant_id end, o.counter,
       o.digest, o.assertion_digest, o.salt, o.body
     from c join audit_entries o on o.tenant = '${tenant}' and o.kind <> 'note' and o.subject in (c.ask, c.grant_)
     order by c.later, o.id`,
  ]
  const named = parts.map((sql, at) => `p${at} as (${sql})`)
  return `with c(ask, grant_, ask_id, grant_id, later) as (values ${copies.join(',')}), ${named.join(',\n')} select 1`
}
