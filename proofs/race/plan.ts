// The plan of a contest: one ask, and two to thirty-two actors who all try to end it at once.
//
// Plans depend only on the seed, so a seed reproduces the contests. The winner is not planned: the database decides, and
// judge.ts checks that all replies agree.

import {
  type AskDraft,
  actionDigest,
  newId,
  toolDefinitionDigest,
  type WithdrawReason,
} from '../../packages/core/src/index.ts'
import type { SeededRandom } from '../../test-kit/random.ts'

/** Which of a process's stores an attempt goes through; see worker.ts for their clocks. */
export type StoreName = 'before' | 'after' | 'database'

/**
 * The deadline relative to the contest: far away, between the clocks of the stores (two replicas that disagree on whether
 * it has passed), or in the middle of it by the database's clock.
 */
export type Deadline = 'far' | 'between' | 'during'

export type Move =
  | { readonly kind: 'accept' | 'decline'; readonly by: string; readonly decisionId: string }
  | { readonly kind: 'expire' }
  | { readonly kind: 'withdraw'; readonly reason: WithdrawReason }

export type Attempt = Move & {
  /** An actor may make two attempts, from two processes. */
  readonly actor: number
  readonly worker: number
  readonly store: StoreName
  /** After the start; for a deadline during the contest, after that deadline, so it may be negative. */
  readonly delayMs: number
}

export interface Contest {
  readonly draft: AskDraft
  readonly deadline: Deadline
  readonly actors: number
  readonly attempts: readonly Attempt[]
}

export const tenants: readonly string[] = ['acme', 'birch', 'cobalt', 'delta', 'ember', 'fjord']
export const workers = 3
/** The shortest time that core allows: the deadline between the `before` and `after` clocks. */
export const shortestMs = 1_000
const farMs = 60 * 60 * 1_000
const mostActors = 32

type KindWeights = Readonly<Record<Move['kind'], number>>

// The mix of kinds. With only one mix, the same kind of actor would win nearly always; kinds that end an ask without
// reading it first are faster, and therefore fewer.
const onlyAccepts: KindWeights = { accept: 1, decline: 0, expire: 0, withdraw: 0 }
const kindMixes: readonly KindWeights[] = [
  onlyAccepts,
  { accept: 30, decline: 1, expire: 2, withdraw: 1 },
  { accept: 10, decline: 10, expire: 2, withdraw: 1 },
  { accept: 3, decline: 3, expire: 2, withdraw: 1 },
  { accept: 4, decline: 1, expire: 8, withdraw: 1 },
  { accept: 4, decline: 1, expire: 2, withdraw: 4 },
]

const reasons: readonly WithdrawReason[] = ['undeliverable', 'unseen', 'call-cancelled', 'caller-gone', 'owner-lost']

const action = {
  server: 'deploy',
  tool: 'rollout',
  definitionDigest: toolDefinitionDigest({ name: 'rollout', inputSchema: { type: 'object' } }),
  arguments: { env: 'production', replicas: 4 },
}

export function planContest(random: SeededRandom, number: number, deadline: Deadline): Contest {
  const approvals = number % 3 === 0 ? 2 : 1
  // In a large contest two votes of one person rarely come first; so some contests have few actors who all try twice.
  const isStubborn = approvals > 1 && random.int(3) === 0
  const actors = 2 + random.int(isStubborn ? 3 : mostActors - 1)
  const weights = isStubborn ? onlyAccepts : random.pick(kindMixes)
  const lateShare = random.pick([0.01, 0.05, 0.12])
  const secondShare = isStubborn ? 1 : random.pick([0, 0.2, 0.2, 1])
  const firstWorker = random.int(workers)
  const attempts: Attempt[] = []
  for (let actor = 0; actor < actors; actor++) {
    const kind = pickKind(random, weights)
    const worker = (firstWorker + actor) % workers
    const store = pickStore(random, deadline, kind, lateShare)
    const attempt = { ...moveOf(random, kind, actor), actor, worker, store, delayMs: pickDelayMs(random, deadline) }
    attempts.push(attempt, ...secondTry(random, attempt, secondShare, deadline))
  }
  return {
    draft: draftOf(random, approvals, deadline, attempts),
    deadline,
    actors,
    attempts: shuffled(random, attempts),
  }
}

function draftOf(random: SeededRandom, approvals: number, deadline: Deadline, attempts: readonly Attempt[]): AskDraft {
  const voters = new Set(attempts.flatMap((attempt) => ('by' in attempt ? [attempt.by] : [])))
  // People who never answer: not every approver looks at an ask.
  const idle = ['idle-1', 'idle-2', 'idle-3'].slice(random.int(voters.size < 2 ? 1 : 3))
  return {
    tenant: random.pick(tenants),
    id: newId('ask', Date.now(), random.bytes),
    asker: { server: 'deploy', tool: 'rollout' },
    principal: 'agent',
    question: { kind: 'approval', title: 'Roll out', action, digest: actionDigest(action) },
    approvalRule: {
      approvers: [...voters, ...idle].map((name) => `person:${name}` as const),
      excluded: [],
      approvals,
      declines: 1,
    },
    decideWithinMs: deadline === 'far' ? farMs : shortestMs,
    useWithinMs: 60_000,
  }
}

function moveOf(random: SeededRandom, kind: Move['kind'], actor: number): Move {
  if (kind === 'expire') return { kind }
  if (kind === 'withdraw') return { kind, reason: random.pick(reasons) }
  return { kind, by: `person-${actor}`, decisionId: newId('decision', Date.now(), random.bytes) }
}

/** Some people send one decision twice, like a client that got no reply; some change their mind. */
function secondTry(random: SeededRandom, first: Attempt, share: number, deadline: Deadline): Attempt[] {
  if (!('by' in first) || random.next() >= share) return []
  const worker = (first.worker + random.int(workers)) % workers
  // At the same moment, because a later one would find the first already counted.
  const delayMs = random.int(2) === 0 ? first.delayMs : pickDelayMs(random, deadline)
  if (random.int(2) === 0) return [{ ...first, worker, delayMs }]
  const decisionId = newId('decision', Date.now(), random.bytes)
  return [{ ...first, worker, delayMs, kind: random.pick(['accept', 'accept', 'decline']), decisionId }]
}

function pickStore(random: SeededRandom, deadline: Deadline, kind: Move['kind'], lateShare: number): StoreName {
  if (deadline !== 'between') return 'database'
  // An actor that records expiries and is always too early would never compete.
  const share = kind === 'expire' ? 0.9 : lateShare
  return random.next() < share ? 'after' : 'before'
}

function pickDelayMs(random: SeededRandom, deadline: Deadline): number {
  if (deadline === 'during') return random.int(25) - 18
  return random.int(2) === 0 ? 0 : random.int(4)
}

function pickKind(random: SeededRandom, weights: KindWeights): Move['kind'] {
  const kinds = ['accept', 'decline', 'expire', 'withdraw'] as const
  return random.pick(kinds.flatMap((kind) => Array<Move['kind']>(weights[kind]).fill(kind)))
}

function shuffled<T>(random: SeededRandom, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, testDb: random.next() }))
    .sort((a, b) => a.testDb - b.testDb)
    .map(({ item }) => item)
}
