// Commits whose sender was never told how they ended: what the database says became of them, and whether whoever hung on
// it was told rightly in the end.

import type { Cluster } from './database-cluster.part.ts'
import type { Commit, Unclear } from './database-line.part.ts'
import { Evidence, type Kept } from './fleet-evidence.part.ts'

export const resolvedRightly = 'unclear commits are resolved rightly'

/** How to see that a statement has happened. Where there is no way to see it nothing hangs on it either. */
const traces: readonly (readonly [statement: RegExp, sql: string])[] = [
  [/^answer_ask$/, 'select 1 from asks where decision_id = any($1)'],
  [/^raise_ask_/, 'select 1 from asks where id = any($1)'],
  [/^end_ask$/, `select 1 from asks where id = any($1) and state <> 'open'`],
  [/^begin_call$/, 'select 1 from calls where id = any($1)'],
  [/^finish_call$/, `select 1 from calls where id = any($1) and state = 'finished'`],
  [/^lose_call$/, `select 1 from calls where id = any($1) and state = 'lost'`],
  [/^claim_round$/, 'select 1 from rounds where id = any($1)'],
  [/^finish_round$/, 'select 1 from rounds where id = any($1) and outcome is not null'],
  [/^send_letter$/, 'select 1 from letters where id = any($1)'],
  [/^begin_client_session$/, 'select 1 from client_sessions where id = any($1)'],
  [/^defer_call$/, 'select 1 from deferred_calls where id = any($1)'],
  [/^claim_deferred$/, 'select 1 from deferred_calls where id = any($1) and claimed_at is not null'],
  [/^finish_deferred$/, 'select 1 from deferred_calls where id = any($1) and outcome is not null'],
]

/** Asks the database itself what became of them, while nobody else can reach it. */
export async function lookFor(all: readonly Unclear[], cluster: Cluster, schema: string): Promise<void> {
  for (const unclear of all) {
    if (unclear.hasCommitted !== undefined) continue
    const [, sql] = traces.find(([statement]) => statement.test(unclear.statement)) ?? []
    if (sql === undefined) continue
    const found = await cluster.ask(sql.replace(/from /, `from ${schema}.`), [unclear.values])
    unclear.hasCommitted = found.length > 0
  }
}

export interface WronglyTold {
  readonly invariant: typeof resolvedRightly
  readonly what: string
}

/** An answer that had been kept is the one that counts, and its person hears so; nobody is told of one that was not. */
export function judgeUnclear(all: readonly Unclear[], evidence: Evidence, kept: Kept): WronglyTold[] {
  const wrong: WronglyTold[] = []
  const rows = new Map(kept.asks.map((ask) => [ask.id, ask]))
  const told = new Map(evidence.inboxAnswers.map((answer) => [answer.decisionId, answer.status]))
  for (const unclear of all) {
    const blame = (what: string) => {
      wrong.push({ invariant: resolvedRightly, what: `${unclear.statement} (${unclear.how}): ${what}` })
    }
    if (isRaising(unclear) && unclear.hasCommitted === true && !rows.has(idIn(unclear, 'ask')))
      blame(`${idIn(unclear, 'ask')} had been raised and is gone`)
    if (!isAnswer(unclear)) continue
    const [askId, decisionId] = [idIn(unclear, 'ask'), idIn(unclear, 'decision')]
    const row = rows.get(askId)
    const isKept = row?.state === 'settled' && row.decisionId === decisionId
    if (unclear.hasCommitted === undefined) blame(`nobody knows what became of ${decisionId}`)
    if (unclear.hasCommitted === true && !isKept) blame(`${decisionId} had been kept, and does not count`)
    // What a client answered is kept under a name that the gateway made; there is nobody who would come back with it.
    if (!unclear.values.includes('inbox')) continue
    const status = told.get(decisionId)
    if (status === undefined) blame(`whoever gave ${decisionId} heard nothing`)
    if (isKept && status !== 200) blame(`${decisionId} counts, and its person heard ${status}`)
    if (!isKept && status === 200) blame(`${decisionId} does not count, and was acknowledged`)
  }
  return wrong
}

export function isAnswer({ statement }: Pick<Commit, 'statement'>): boolean {
  return statement === 'answer_ask'
}

function isRaising({ statement }: Commit): boolean {
  return statement.startsWith('raise_ask_')
}

function idIn({ values }: Commit, kind: string): string {
  return values.find((value) => value.startsWith(`${kind}_`)) ?? ''
}

type World = { readonly evidence: Evidence; readonly kept: Kept }

/** Lies about answers whose commit was unclear, each of which must be found. */
const lies: readonly (readonly [string, (decisionId: string, world: World) => World])[] = [
  [
    'an answer that had been kept counts no more',
    (decisionId, { evidence, kept }) => {
      const asks = kept.asks.map((ask) => (ask.decisionId === decisionId ? { ...ask, decisionId: 'another' } : ask))
      return { evidence, kept: { ...kept, asks } }
    },
  ],
  [
    'a person whose answer had been kept hears that it came too late',
    (decisionId, { evidence, kept }) => ({ kept, evidence: withStatus(evidence, decisionId, 409) }),
  ],
  [
    'a person whose answer was unclear never hears of it',
    (decisionId, { evidence, kept }) => {
      const inboxAnswers = evidence.inboxAnswers.filter((one) => one.decisionId !== decisionId)
      return { kept, evidence: Object.assign(new Evidence(), evidence, { inboxAnswers }) }
    },
  ],
]

/** Puts each lie in, about an answer that was given in an inbox and kept. */
export function findLies(all: readonly Unclear[], world: World): { planted: number; missed: readonly string[] } {
  const kept = all.find((one) => isAnswer(one) && one.hasCommitted === true && one.values.includes('inbox'))
  if (kept === undefined) return { planted: 0, missed: [] }
  const missed = lies.filter(([, plant]) => {
    const changed = plant(idIn(kept, 'decision'), world)
    return judgeUnclear(all, changed.evidence, changed.kept).length === 0
  })
  return { planted: lies.length, missed: missed.map(([name]) => name) }
}

function withStatus(evidence: Evidence, decisionId: string, status: number): Evidence {
  const inboxAnswers = evidence.inboxAnswers.map((one) => (one.decisionId === decisionId ? { ...one, status } : one))
  return Object.assign(new Evidence(), evidence, { inboxAnswers })
}
