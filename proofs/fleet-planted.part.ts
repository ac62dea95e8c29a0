// Shows that the judge is awake: into a copy of what a run left behind one lie is put at a time, and it must be found.

import { Evidence, type Kept } from './fleet-evidence.part.ts'
import { type Invariant, judge } from './fleet-judge.part.ts'

type World = { evidence: Evidence; kept: Kept }
type Plant = (world: World) => World | undefined

const plants: readonly (readonly [Invariant, string, Plant])[] = [
  ['no effect without a kept, matching yes', 'a call that was declined runs', declinedRuns],
  [
    'no effect without a kept, matching yes',
    'the yes of an effect is no longer kept',
    (world) => withAsk(world, hasRun(world), { state: 'open' }),
  ],
  [
    'no effect without a kept, matching yes',
    'the yes came after the effect',
    (world) => withAsk(world, hasRun(world), { endedAtMs: Date.now() + 60_000 }),
  ],
  [
    'at most one run per yes',
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
    'an acknowledged decision is gone',
    (world) => withAsk(world, isAcknowledged(world), { state: 'open', action: null }),
  ],
  [
    'acknowledged decisions survive',
    'an acknowledged no became a yes',
    (world) => {
      const acks = new Map(
        world.evidence.inboxAnswers.filter(({ status }) => status === 200).map((one) => [one.askId, one.action]),
      )
      return withAsk(world, (id) => acks.get(id) === 'decline', { action: 'accept' })
    },
  ],
  [
    'only the entitled decide',
    'someone else decided',
    (world) => withAsk(world, isAcknowledged(world), { decidedBy: 'mallory' }),
  ],
  [
    'only the entitled decide',
    "a stranger's answer is taken",
    ({ evidence, kept }) => {
      const tried = evidence.inboxAnswers.findIndex(({ isStranger }) => isStranger)
      const inboxAnswers = evidence.inboxAnswers.map((one, at) => (at === tried ? { ...one, status: 409 } : one))
      return tried < 0 ? undefined : { kept, evidence: copy(evidence, { inboxAnswers }) }
    },
  ],
  [
    'every move is in the audit',
    'the record of an end is missing',
    ({ evidence, kept }) => {
      const at = kept.audit.findIndex(({ kind }) => kind === 'ask.settled')
      return at < 0 ? undefined : { evidence, kept: { ...kept, audit: kept.audit.toSpliced(at, 1) } }
    },
  ],
  [
    'every move is in the audit',
    'the chain is broken',
    ({ evidence, kept }) => ({ evidence, kept: { ...kept, chainProblem: 'planted' } }),
  ],
  [
    'callers hear the truth',
    'a caller hears of a run that was not',
    ({ evidence, kept }) => {
      const [first] = evidence.effects
      const effects = evidence.effects.filter(({ ticket }) => ticket !== first?.ticket)
      const isHeard = first !== undefined && evidence.calls.get(first.ticket)?.end?.kind === 'result'
      return isHeard ? { kept, evidence: copy(evidence, { effects }) } : undefined
    },
  ],
  [
    'nobody waits in vain',
    'a caller never hears an end',
    ({ evidence, kept }) => {
      const [first] = evidence.calls.values()
      const calls = new Map(evidence.calls)
      if (first !== undefined) calls.set(first.ticket, { ...first, end: { kind: 'silence', last: 'planted' } })
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

/** On a world without faults, so that what is found is what was planted. */
export function findPlanted(world: World): Found {
  const missed: string[] = []
  let planted = 0
  for (const [invariant, name, plant] of plants) {
    const changed = plant(world)
    if (changed === undefined) {
      missed.push(`${name}${nothingToPlantIn}`)
      continue
    }
    planted += 1
    if (!judge(changed.evidence, changed.kept).some((fault) => fault.invariant === invariant)) missed.push(name)
  }
  return { planted, found: planted - missed.filter((name) => !name.endsWith(nothingToPlantIn)).length, missed }
}

function declinedRuns({ evidence, kept }: World): World | undefined {
  const declined = kept.asks.find(({ action }) => action === 'decline')
  const ticket = declined === undefined ? undefined : /^Run (.*)\?$/.exec(declined.message)?.[1]
  if (ticket === undefined) return undefined
  return { kept, evidence: copy(evidence, { effects: [...evidence.effects, { ticket, atMs: Date.now() }] }) }
}

function withAsk(
  { evidence, kept }: World,
  isIt: (id: string, message: string) => boolean,
  change: object,
): World | undefined {
  const at = kept.asks.findIndex(({ id, message }) => isIt(id, message))
  if (at < 0) return undefined
  return {
    evidence,
    kept: { ...kept, asks: kept.asks.map((ask, index) => (index === at ? { ...ask, ...change } : ask)) },
  }
}

function isAcknowledged({ evidence }: World): (id: string) => boolean {
  const acks = new Set(evidence.inboxAnswers.filter(({ status }) => status === 200).map(({ askId }) => askId))
  return (id) => acks.has(id)
}

/** An ask that an effect hangs on: answered in the inbox, and run. */
function hasRun({ evidence }: World): (id: string, message: string) => boolean {
  const ran = new Set(evidence.effects.map(({ ticket }) => ticket))
  return (_, message) => {
    const ticket = /^Run (.*)\?$/.exec(message)?.[1] ?? ''
    return ran.has(ticket) && evidence.calls.get(ticket)?.asked === 'inbox'
  }
}

function copy(evidence: Evidence, change: Partial<Evidence>): Evidence {
  return Object.assign(new Evidence(), evidence, change)
}
