// Checks the judge with planted faults: puts one piece of false evidence at a time into a copy of a run's evidence; the
// judge must find each.

import { Evidence, type StoredState } from './evidence.ts'
import { type Invariant, judge } from './judge.ts'

type ClusterRun = { evidence: Evidence; kept: StoredState }
type Plant = (clusterRun: ClusterRun) => ClusterRun | undefined

const plants: readonly (readonly [Invariant, string, Plant])[] = [
  ['no effect without a stored, matching approval', 'a call that was declined runs', declinedRuns],
  [
    'no effect without a stored, matching approval',
    'the yes of an effect is not stored',
    (clusterRun) => withAsk(clusterRun, hasRun(clusterRun), { state: 'open' }),
  ],
  [
    'no effect without a stored, matching approval',
    'the yes came after the effect',
    (clusterRun) => withAsk(clusterRun, hasRun(clusterRun), { endedAtMs: Date.now() + 60_000 }),
  ],
  [
    'at most one run per approval',
    'an effect happens twice',
    ({ evidence, kept }) => {
      const [first] = evidence.effects
      return first && { kept, evidence: copy(evidence, { effects: [...evidence.effects, first] }) }
    },
  ],
  [
    'one decision per ask',
    'an ask is settled twice',
    ({ evidence, kept }) => {
      const settled = kept.audit.find(({ kind }) => kind === 'ask.settled')
      return settled && { evidence, kept: { ...kept, audit: [...kept.audit, settled] } }
    },
  ],
  [
    'one decision per ask',
    'two decisions of one ask are acknowledged',
    ({ evidence, kept }) => {
      const ack = evidence.inboxAnswers.find(({ status }) => status === 200)
      const second = ack && { ...ack, decisionId: 'another' }
      return second && { kept, evidence: copy(evidence, { inboxAnswers: [...evidence.inboxAnswers, second] }) }
    },
  ],
  [
    'acknowledged decisions survive',
    'an acknowledged decision is missing',
    (clusterRun) => withAsk(clusterRun, isAcknowledged(clusterRun), { state: 'open', action: null }),
  ],
  [
    'acknowledged decisions survive',
    'an acknowledged no became a yes',
    (clusterRun) => {
      const acks = new Map(
        clusterRun.evidence.inboxAnswers.filter(({ status }) => status === 200).map((one) => [one.askId, one.action]),
      )
      return withAsk(clusterRun, (id) => acks.get(id) === 'decline', { action: 'accept' })
    },
  ],
  [
    'only approvers decide',
    'someone else decided',
    (clusterRun) => withAsk(clusterRun, isAcknowledged(clusterRun), { decidedBy: 'mallory' }),
  ],
  [
    'only approvers decide',
    "a stranger's answer is accepted",
    ({ evidence, kept }) => {
      const tried = evidence.inboxAnswers.findIndex(({ isStranger }) => isStranger)
      const inboxAnswers = evidence.inboxAnswers.map((one, at) => (at === tried ? { ...one, status: 409 } : one))
      return tried < 0 ? undefined : { kept, evidence: copy(evidence, { inboxAnswers }) }
    },
  ],
  [
    'every transition is in the audit log',
    'the audit entry of an ending is missing',
    ({ evidence, kept }) => {
      const at = kept.audit.findIndex(({ kind }) => kind === 'ask.settled')
      return at < 0 ? undefined : { evidence, kept: { ...kept, audit: kept.audit.toSpliced(at, 1) } }
    },
  ],
  [
    'every transition is in the audit log',
    'the chain is broken',
    ({ evidence, kept }) => ({ evidence, kept: { ...kept, chainProblem: 'planted' } }),
  ],
  [
    'callers get the true outcome',
    'a caller gets the result of a run that did not happen',
    ({ evidence, kept }) => {
      const [first] = evidence.effects
      const effects = evidence.effects.filter(({ ticket }) => ticket !== first?.ticket)
      const hasResult = first !== undefined && evidence.calls.get(first.ticket)?.end?.kind === 'result'
      return hasResult ? { kept, evidence: copy(evidence, { effects }) } : undefined
    },
  ],
  [
    'every caller gets an answer',
    'a caller never gets an answer',
    ({ evidence, kept }) => {
      const [first] = evidence.calls.values()
      const calls = new Map(evidence.calls)
      if (first !== undefined) calls.set(first.ticket, { ...first, end: { kind: 'timeout', last: 'planted' } })
      return { kept, evidence: copy(evidence, { calls }) }
    },
  ],
]

export const nothingToPlantIn = ' (nothing to plant it in)'

export interface Found {
  readonly planted: number
  readonly found: number
  readonly missed: readonly string[]
}

/** Use a run without faults, so that every fault found is a planted one. */
export function findPlanted(clusterRun: ClusterRun): Found {
  const missed: string[] = []
  let planted = 0
  for (const [invariant, name, plant] of plants) {
    const changed = plant(clusterRun)
    if (changed === undefined) {
      missed.push(`${name}${nothingToPlantIn}`)
      continue
    }
    planted += 1
    if (!judge(changed.evidence, changed.kept).some((fault) => fault.invariant === invariant)) missed.push(name)
  }
  return { planted, found: planted - missed.filter((name) => !name.endsWith(nothingToPlantIn)).length, missed }
}

function declinedRuns({ evidence, kept }: ClusterRun): ClusterRun | undefined {
  const declined = kept.asks.find(({ action }) => action === 'decline')
  const ticket = declined === undefined ? undefined : /^Run (.*)\?$/.exec(declined.message)?.[1]
  if (ticket === undefined) return undefined
  return { kept, evidence: copy(evidence, { effects: [...evidence.effects, { ticket, atMs: Date.now() }] }) }
}

function withAsk(
  { evidence, kept }: ClusterRun,
  isIt: (id: string, message: string) => boolean,
  change: object,
): ClusterRun | undefined {
  const at = kept.asks.findIndex(({ id, message }) => isIt(id, message))
  if (at < 0) return undefined
  return {
    evidence,
    kept: { ...kept, asks: kept.asks.map((ask, index) => (index === at ? { ...ask, ...change } : ask)) },
  }
}

function isAcknowledged({ evidence }: ClusterRun): (id: string) => boolean {
  const acks = new Set(evidence.inboxAnswers.filter(({ status }) => status === 200).map(({ askId }) => askId))
  return (id) => acks.has(id)
}

/** Whether an ask was answered in the inbox and its call ran. */
function hasRun({ evidence }: ClusterRun): (id: string, message: string) => boolean {
  const ran = new Set(evidence.effects.map(({ ticket }) => ticket))
  return (_, message) => {
    const ticket = /^Run (.*)\?$/.exec(message)?.[1] ?? ''
    return ran.has(ticket) && evidence.calls.get(ticket)?.asked === 'inbox'
  }
}

function copy(evidence: Evidence, change: Partial<Evidence>): Evidence {
  return Object.assign(new Evidence(), evidence, change)
}
