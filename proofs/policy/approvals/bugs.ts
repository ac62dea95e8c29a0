// Bugs planted in the store, the policies, the inbox or the server. The runs must find each of them.

import { randomBytes } from 'node:crypto'
import type { ApprovalRequirement, JsonValue, Person } from '@assent/core'
import type { PolicyAsk, PolicyDecision } from '@assent/policy'
import type { PolicyDecider } from '../../../packages/gateway/src/call/policy/policy-gate.ts'
import { ToolDefinitions } from '../../../packages/gateway/src/call/policy/tool-definitions.ts'
import { answerAsk } from '../../../packages/store/src/asks/answer-ask.ts'
import type { Store } from '../../../packages/store/src/index.ts'
import { changed } from './changed.ts'
import type { Clock } from './clock.ts'
import { asksOf, members, needing, oneFrom, oneMember, oneOf } from './early-policies.ts'
import type { PlainPolicies } from './rules.ts'

export interface ApprovalBug {
  readonly name: string
  /** A finding that shows this bug and no other effect of how it is planted. */
  readonly finds: RegExp
  readonly store?: (store: Store, clock: Clock) => Store
  readonly decider?: (decider: PolicyDecider) => PolicyDecider
  /** The definitions of tools are read once. */
  readonly keepsDefinitions?: boolean
  readonly ignoresReloads?: boolean
  /** What the server runs with. */
  readonly arguments?: (given: JsonValue) => JsonValue
  /** Changes code that all stores share; returns the function that restores it. */
  readonly plant?: () => () => void
  /** Policies and reloads under which this bug shows early. Only the quick form uses them. */
  readonly early?: {
    readonly policies?: (policies: PlainPolicies) => PlainPolicies
    readonly reload?: (policies: PlainPolicies) => PlainPolicies
  }
}

type Asks = Store['asks']
type Rounds = Store['rounds']
type StoredAsk = NonNullable<Awaited<ReturnType<Asks['read']>>>
type Answering = Asks['answer']
type Change = (requirement: ApprovalRequirement, requester: string) => ApprovalRequirement

const longAgoMs = 24 * 60 * 60_000
/** A vote that should not count counts. */
const tooMany = /was (counted|settled), refused expected/
/** Votes settle an ask although more are needed. */
const tooFew = /was settled, counted expected/

const requirements = (change: Change) => (decider: PolicyDecider) =>
  changed(decider, {
    requirementsOf: (asks: readonly PolicyAsk[], requester: string) =>
      decider.requirementsOf(asks, requester).map((one) => change(one, requester)),
  })

const decisions = (change: (decision: PolicyDecision) => PolicyDecision) => (decider: PolicyDecider) =>
  changed(decider, {
    decide: (call: Parameters<PolicyDecider['decide']>[0]) => change(decider.decide(call)),
  })

const answering =
  (change: (answer: Answering, store: Store, clock: Clock) => Answering) => (store: Store, clock: Clock) =>
    changed(store, { asks: changed(store.asks, { answer: change(store.asks.answer.bind(store.asks), store, clock) }) })

/** Changes what the gateway reads about an approved ask, when it counts its votes again. */
const reading = (change: (ask: StoredAsk) => StoredAsk) => (store: Store) => {
  const { asks } = store
  const read: Asks['read'] = async (...key) => {
    const ask = await asks.read(...key)
    return ask?.state.kind === 'settled' && ask.state.answer.action === 'accept' ? change(ask) : ask
  }
  return changed(store, { asks: changed(asks, { read }) })
}

function withReason<T extends object>(vote: T): T {
  if (!('answer' in vote) || typeof vote.answer !== 'object') return vote
  return { ...vote, answer: { ...vote.answer, comment: 'It was discussed.' } }
}

/** Runs one method with the clock set back to this time, if that has passed. */
async function noLaterThan<T>(clock: Clock, atMs: number, run: () => Promise<T>): Promise<T> {
  const nowMs = clock.nowMs
  clock.nowMs = Math.min(nowMs, atMs)
  try {
    return await run()
  } finally {
    clock.nowMs = nowMs
  }
}

function isAccept(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'action' in answer && answer.action === 'accept'
}

/** Votes again under another name. */
function asAnother(person: Person): { person: Person; decisionId: string } {
  return { person: { ...person, principal: `${person.principal}-2` }, decisionId: randomBytes(16).toString('hex') }
}

/** The grants that were read, by id. */
const lastRead = new Map<string, { readonly expiresAtMs: number }>()
const allowed: PolicyDecision = { effect: 'allow', policies: [], errors: [] }

export const approvalBugs: readonly ApprovalBug[] = [
  {
    name: 'the requester approves their own call',
    early: { policies: asksOf((ask) => ({ ...ask, anyOf: [[oneOf(...members)]], exclude: ['requester'] })) },
    finds: /^excludedCounted/,
    decider: requirements((one, requester) => ({
      ...one,
      excluded: one.excluded.filter((person) => person !== requester),
    })),
  },
  {
    name: 'an excluded person counts',
    early: {
      policies: asksOf((ask) => ({ ...ask, anyOf: [[oneOf(...members)]], exclude: ['person:bob', 'person:cleo'] })),
    },
    finds: /^excludedCounted/,
    decider: requirements((one, requester) => ({
      ...one,
      excluded: one.excluded.filter((person) => person === requester),
    })),
  },
  {
    name: 'groups count however old they are',
    finds: tooMany,
    store: (store) =>
      changed(store, {
        signIns: changed(store.signIns, {
          readSession: async (tenant: string, token: string) => {
            const session = await store.signIns.readSession(tenant, token)
            return session === undefined ? undefined : { ...session, begunAtMs: Number.MAX_SAFE_INTEGER }
          },
        }),
      }),
  },
  {
    name: 'the groups of an earlier sign-in count',
    finds: tooMany,
    store: (store) => {
      const known = new Map<string, readonly string[]>()
      return changed(store, {
        signIns: changed(store.signIns, {
          begin: (login: Parameters<Store['signIns']['begin']>[0]) => {
            const { principal, groups } = login.person
            const all = [...new Set([...(known.get(principal) ?? []), ...groups])]
            known.set(principal, all)
            return store.signIns.begin({ ...login, person: { principal, groups: all } })
          },
        }),
      })
    },
  },
  {
    name: 'a second vote of the same person counts',
    finds: tooMany,
    store: answering((answer) => async (request) => {
      const result = await answer(request)
      return result.kind === 'already-voted' ? answer({ ...request, ...asAnother(request.person) }) : result
    }),
  },
  {
    name: 'somebody in two groups fills two places',
    early: { policies: needing(oneOf('group:release'), oneOf('group:security')) },
    finds: tooFew,
    store: answering((answer) => async (request) => {
      const result = await answer(request)
      const isTwice = result.kind === 'counted' && isAccept(request.answer) && request.person.groups.length > 1
      return isTwice ? answer({ ...request, ...asAnother(request.person) }) : result
    }),
  },
  {
    name: 'an approval is used twice',
    finds: /^wronglyRun: \S+ ran (a second time|more than once)/,
    store: (store) =>
      changed(store, {
        rounds: changed(store.rounds, { claim: async () => true }),
        grants: changed(store.grants, {
          use: async (use: Parameters<Store['grants']['use']>[0]) =>
            (await store.grants.use(use)) ?? { ...use, askId: '', grantedAtMs: 0, expiresAtMs: 0 },
        }),
      }),
  },
  {
    name: 'answers to a question after the approval are sent again',
    finds: /^wronglyRun: \S+ ran (a second time|more than once)/,
    store: (store) => {
      const { rounds } = store
      const isLater = ({ id }: { readonly id: string }) => id.startsWith('approved ')
      const claim: Rounds['claim'] = async (name, ...more) => isLater(name) || rounds.claim(name, ...more)
      const read: Rounds['read'] = async (name) => (isLater(name) ? undefined : rounds.read(name))
      return changed(store, { rounds: changed(rounds, { claim, read }) })
    },
  },
  {
    name: 'an approval is used however late',
    early: { policies: oneMember },
    finds: /^wronglyRun: \S+ ran too late/,
    store: (store, clock) =>
      changed(store, {
        grants: changed(store.grants, {
          use: async (use: Parameters<Store['grants']['use']>[0]) => {
            // The caller reads the grant by its ask just before.
            const { expiresAtMs } = lastRead.get(use.id) ?? { expiresAtMs: clock.nowMs }
            return noLaterThan(clock, expiresAtMs - 1, () => store.grants.use(use))
          },
          read: async (tenant: string, askId: string) => {
            const grant = await store.grants.read(tenant, askId)
            if (grant !== undefined) lastRead.set(grant.id, grant)
            return grant
          },
        }),
      }),
  },
  {
    name: 'other arguments run than were approved',
    finds: /^changedBytes/,
    arguments: (given) => ({ ...(given as object), amount: 0 }),
  },
  {
    name: 'a changed definition is ignored',
    early: { policies: oneMember },
    finds: /^wronglyRun: \S+ ran although stricter/,
    keepsDefinitions: true,
    plant: withOldDefinitions,
  },
  {
    name: 'policies of a reload are ignored',
    early: { policies: oneMember, reload: (policies) => ({ ...policies, deniesAll: true }) },
    finds: /^wronglyRun: \S+ ran although (it is denied|stricter)/,
    ignoresReloads: true,
  },
  {
    name: 'stored votes without a reason count where policies need one now',
    early: {
      policies: (policies) => asksOf((ask) => ({ ...ask, needsReason: false }))(oneMember(policies)),
      reload: asksOf((ask) => ({ ...ask, needsReason: true })),
    },
    finds: /^wronglyRun: \S+ ran although stricter/,
    store: reading((ask) => ({ ...ask, votes: ask.votes.map(withReason), state: withReason(ask.state) })),
  },
  {
    name: 'stored votes do not count under other policies',
    early: { policies: oneMember, reload: asksOf((ask) => ({ ...ask, anyOf: [...ask.anyOf, [oneOf('person:ann')]] })) },
    finds: /an approved call was waits, done expected/,
    store: reading((ask) => ({ ...ask, votes: [], state: { kind: 'open' } })),
  },
  {
    name: 'a decline is ignored',
    finds: /was counted, settled expected/,
    store: answering((answer, { asks }) => async (request) => {
      if (isAccept(request.answer)) return answer(request)
      const ask = await asks.read(request.tenant, request.id)
      return ask === undefined ? { kind: 'not-found' } : { kind: 'counted', ask }
    }),
  },
  {
    name: 'a late vote counts',
    early: { policies: oneMember },
    finds: tooMany,
    // An ask that is read after its deadline expires, so it is read with the clock set back too.
    store: (store, clock) => {
      const { asks } = store
      const read: Asks['read'] = (...key) => noLaterThan(clock, clock.nowMs - longAgoMs, () => asks.read(...key))
      const answer: Answering = async (request) => {
        const ask = await read(request.tenant, request.id)
        return noLaterThan(clock, (ask?.decideByMs ?? clock.nowMs) - 1, () => asks.answer(request))
      }
      return changed(store, { asks: changed(asks, { read, answer }) })
    },
  },
  {
    name: 'factors of several alternatives are mixed',
    early: {
      policies: asksOf((ask) => ({
        ...ask,
        anyOf: [
          [oneOf('group:release'), oneOf('group:security')],
          [oneOf('group:directors'), oneOf('person:ann')],
        ],
        exclude: [],
      })),
    },
    finds: tooFew,
    decider: requirements((one) => ({ ...one, anyOf: mixed(one.anyOf) })),
  },
  {
    name: 'one factor of an alternative is enough',
    early: { policies: needing(oneOf('group:release'), oneOf('group:security')) },
    finds: tooFew,
    decider: requirements((one) => ({
      ...one,
      anyOf: one.anyOf.flatMap((factors) => factors.map((factor) => [factor])),
    })),
  },
  {
    name: 'one approval is enough for each factor',
    early: { policies: needing({ from: members, approvals: 2 }) },
    finds: tooFew,
    decider: requirements((one) => ({
      ...one,
      anyOf: one.anyOf.map((factors) => factors.map((factor) => ({ ...factor, approvals: 1 }))),
    })),
  },
  {
    name: 'only one of several policies has to be met',
    early: {
      policies: ({ asks: [ask], ...policies }) => ({
        ...policies,
        asks: ask === undefined ? [] : [oneFrom(ask, 'group:release'), oneFrom(ask, 'group:security')],
      }),
    },
    finds: tooFew,
    decider: (decider) =>
      changed(decider, {
        requirementsOf: (asks: readonly PolicyAsk[], requester: string) =>
          decider.requirementsOf(asks, requester).slice(0, 1),
      }),
  },
  {
    name: 'votes are counted without compare-and-set',
    early: { policies: needing({ from: members, approvals: 2 }) },
    finds: /votes at once were/,
    plant: withoutCompare,
  },
  {
    name: 'a reason is not needed',
    early: { policies: (policies) => asksOf((ask) => ({ ...ask, needsReason: true }))(oneMember(policies)) },
    finds: tooMany,
    decider: decisions((decision) =>
      decision.effect === 'ask'
        ? { ...decision, asks: decision.asks.map((ask) => ({ ...ask, terms: { ...ask.terms, needsReason: false } })) }
        : decision,
    ),
  },
  {
    name: 'a policy that cannot be evaluated is skipped',
    finds: /^wronglyRun/,
    decider: decisions((decision) => {
      if (decision.effect === 'deny') return decision.because === 'failed' ? allowed : decision
      if (decision.effect === 'allow') return decision
      const asks = decision.asks.filter(({ policy }) => decision.errors.every((error) => error.policy !== policy))
      return asks.length === 0 ? allowed : { ...decision, asks }
    }),
  },
  {
    name: 'a denied call runs',
    finds: /^wronglyRun/,
    decider: decisions((decision) => (decision.effect === 'deny' ? allowed : decision)),
  },
]

/** Bugs that clients with sessions must show, too. */
export const sessionBugs = approvalBugs.filter(({ name }) =>
  [
    'a denied call runs',
    'policies of a reload are ignored',
    'a policy that cannot be evaluated is skipped',
    'only one of several policies has to be met',
    'other arguments run than were approved',
  ].includes(name),
)

/** Every choice of one factor per position, from any alternative. */
function mixed(anyOf: ApprovalRequirement['anyOf']): ApprovalRequirement['anyOf'] {
  const length = Math.min(...anyOf.map((factors) => factors.length))
  let all: ApprovalRequirement['anyOf'] = [[]]
  for (let place = 0; place < length; place++) {
    const here = anyOf.flatMap((factors) => factors.slice(place, place + 1))
    all = all.flatMap((before) => here.map((factor) => [...before, factor]))
  }
  return [...anyOf, ...all.filter((factors) => factors.length > 0)]
}

/** The statement that counts a vote no longer compares the votes before it. */
function withoutCompare(): () => void {
  const [counted] = answerAsk.parts as readonly { sql: string }[]
  if (counted === undefined) throw new Error('The statement has no parts.')
  const { sql } = counted
  counted.sql = sql.replace('and accepts = :accepts_before and declines = :declines_before', '')
  if (counted.sql === sql) throw new Error('The statement does not compare the votes in the expected words.')
  return () => {
    counted.sql = sql
  }
}

/** The definition is not read again when an approval is used. */
function withOldDefinitions(): () => void {
  const { find } = ToolDefinitions.prototype
  ToolDefinitions.prototype.find = function (upstream, call, tool) {
    return find.call(this, upstream, call, tool, false)
  }
  return () => {
    ToolDefinitions.prototype.find = find
  }
}
