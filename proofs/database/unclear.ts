// Commits whose result the sender never learned: looks up in the database whether they happened, and checks that the
// people and callers who depend on them got the right reply in the end.

import type { ReplicatedPostgres } from '../../test-kit/replicated-postgres.ts'
import { Evidence, type StoredState } from '../cluster/evidence.ts'
import type { Commit, Unclear } from './line.ts'

export const resolvedRightly = 'unclear commits are resolved correctly'

/** How to see that a statement was committed. Nothing depends on statements without an entry. */
const traces: readonly (readonly [statement: RegExp, sql: string])[] = [
  [/^answer_ask$/, 'select 1 from asks where decision_id = any($1)'],
  [/^raise_ask_/, 'select 1 from asks where id = any($1)'],
  [/^end_ask$/, `select 1 from asks where id = any($1) and state <> 'open'`],
  [/^begin_call$/, 'select 1 from calls where id = any($1)'],
  [/^finish_call$/, `select 1 from calls where id = any($1) and state = 'finished'`],
  [/^lose_call$/, `select 1 from calls where id = any($1) and state = 'lost'`],
  [/^claim_round$/, 'select 1 from rounds where id = any($1)'],
  [/^finish_round$/, 'select 1 from rounds where id = any($1) and outcome is not null'],
  [/^begin_client_session$/, 'select 1 from client_sessions where id = any($1)'],
  [/^defer_call$/, 'select 1 from deferred_calls where id = any($1)'],
  [/^claim_deferred$/, 'select 1 from deferred_calls where id = any($1) and claimed_at is not null'],
  [/^finish_deferred$/, 'select 1 from deferred_calls where id = any($1) and outcome is not null'],
]

/** Looks them up in the database while no replica can reach it. */
export async function lookFor(all: readonly Unclear[], cluster: ReplicatedPostgres, schema: string): Promise<void> {
  for (const unclear of all) {
    if (unclear.hasCommitted !== undefined) continue
    const [, sql] = traces.find(([statement]) => statement.test(unclear.statement)) ?? []
    if (sql === undefined) continue
    const found = await cluster.ask(sql.replace(/from /, `from ${schema}.`), [unclear.values])
    unclear.hasCommitted = found.length > 0
  }
}

export interface WrongReply {
  readonly invariant: typeof resolvedRightly
  readonly what: string
}

/** A committed answer is the one that counts, and its person gets 200; an answer that was not committed is never
 * acknowledged. */
export function judgeUnclear(all: readonly Unclear[], evidence: Evidence, kept: StoredState): WrongReply[] {
  const wrong: WrongReply[] = []
  const rows = new Map(kept.asks.map((ask) => [ask.id, ask]))
  const statuses = new Map(evidence.inboxAnswers.map((answer) => [answer.decisionId, answer.status]))
  for (const unclear of all) {
    const blame = (what: string) => {
      wrong.push({ invariant: resolvedRightly, what: `${unclear.statement} (${unclear.how}): ${what}` })
    }
    if (isRaising(unclear) && unclear.hasCommitted === true && !rows.has(idIn(unclear, 'ask')))
      blame(`${idIn(unclear, 'ask')} had been committed and is missing`)
    if (!isAnswer(unclear)) continue
    const [askId, decisionId] = [idIn(unclear, 'ask'), idIn(unclear, 'decision')]
    const row = rows.get(askId)
    const isKept = row?.state === 'settled' && row.decisionId === decisionId
    if (unclear.hasCommitted === undefined) blame(`it is unknown whether ${decisionId} was committed`)
    if (unclear.hasCommitted === true && !isKept) blame(`${decisionId} had been committed, but does not count`)
    // A client's answer is stored with a decision id of the gateway, and is never retried with it.
    if (!unclear.values.includes('inbox')) continue
    const status = statuses.get(decisionId)
    if (status === undefined) blame(`the sender of ${decisionId} got no reply`)
    if (isKept && status !== 200) blame(`${decisionId} counts, but its person got ${status}`)
    if (!isKept && status === 200) blame(`${decisionId} does not count, but was acknowledged`)
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

type ClusterRun = { readonly evidence: Evidence; readonly kept: StoredState }

/** False evidence about answers with an unclear commit, each of which must be found. */
const plantedFaults: readonly (readonly [string, (decisionId: string, clusterRun: ClusterRun) => ClusterRun])[] = [
  [
    'a committed answer does not count',
    (decisionId, { evidence, kept }) => {
      const asks = kept.asks.map((ask) => (ask.decisionId === decisionId ? { ...ask, decisionId: 'another' } : ask))
      return { evidence, kept: { ...kept, asks } }
    },
  ],
  [
    'a person whose answer was committed gets the reply that it came too late',
    (decisionId, { evidence, kept }) => ({ kept, evidence: withStatus(evidence, decisionId, 409) }),
  ],
  [
    'a person whose answer was unclear never gets a reply',
    (decisionId, { evidence, kept }) => {
      const inboxAnswers = evidence.inboxAnswers.filter((one) => one.decisionId !== decisionId)
      return { kept, evidence: Object.assign(new Evidence(), evidence, { inboxAnswers }) }
    },
  ],
]

/** Plants each of them in an answer that was given in an inbox and committed. */
export function findPlantedFaults(
  all: readonly Unclear[],
  clusterRun: ClusterRun,
): { planted: number; missed: readonly string[] } {
  const kept = all.find((one) => isAnswer(one) && one.hasCommitted === true && one.values.includes('inbox'))
  if (kept === undefined) return { planted: 0, missed: [] }
  const missed = plantedFaults.filter(([, plant]) => {
    const changed = plant(idIn(kept, 'decision'), clusterRun)
    return judgeUnclear(all, changed.evidence, changed.kept).length === 0
  })
  return { planted: plantedFaults.length, missed: missed.map(([name]) => name) }
}

function withStatus(evidence: Evidence, decisionId: string, status: number): Evidence {
  const inboxAnswers = evidence.inboxAnswers.map((one) => (one.decisionId === decisionId ? { ...one, status } : one))
  return Object.assign(new Evidence(), evidence, { inboxAnswers })
}
