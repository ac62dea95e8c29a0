// The clients of the cluster under test, of both generations: each makes calls one after the other through the balancer.
//
// A client with a state or a handle retries until it gets a final result. If its connection breaks before that, the call
// has failed, and it makes the next one.

import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '../../test-kit/random.ts'
import { betweenTriesMs, type CallContext } from './call.ts'
import { callOf2025, Sessions } from './call-2025.ts'
import { callOf2026 } from './call-2026.ts'
import type { Action, CallEnd, CallRecord, Evidence } from './evidence.ts'

export interface CrowdOptions {
  readonly url: string
  readonly evidence: Evidence
  readonly random: SeededRandom
  readonly principals: readonly string[]
  /** The number of questions. */
  readonly asks: number
  readonly callers: number
  /** True if the callers should stop before that number. */
  readonly isOver: () => boolean
  /** How long a call may take before it counts as unanswered. */
  readonly patienceMs: number
  /** Awaited before each call. */
  readonly pace?: () => Promise<void>
  /** How long a caller keeps its sessions before it opens new ones. Half of the callers end them, half drop them. */
  readonly sessionsKeptMs?: number
  /** The share of people at clients who take long, from 0 to 1. */
  readonly slowOdds?: number
}

/** How long a slow person at a client takes. */
const slowMs = 6_000

export async function runCallers(options: CrowdOptions): Promise<void> {
  let left = options.asks
  const { sessionsKeptMs = Number.POSITIVE_INFINITY } = options
  const caller = async (_: unknown, number: number) => {
    let sessions = new Sessions(options.url)
    let keptSince = performance.now()
    while (left > 0 && !options.isOver()) {
      left -= 1
      await options.pace?.()
      if (performance.now() - keptSince > sessionsKeptMs) {
        if (number % 2 === 0) await sessions.endAll()
        sessions = new Sessions(options.url)
        keptSince = performance.now()
      }
      const { kind } = await callOnRecord(newCall(options, left), options, sessions)
      if (kind === 'broken') await sleep(betweenTriesMs)
    }
  }
  await Promise.all(Array.from({ length: options.callers }, caller))
}

type CallOptions = Pick<CrowdOptions, 'url' | 'evidence' | 'random' | 'patienceMs' | 'slowOdds'>

/** Makes one call and records it in the evidence. */
export async function callOnRecord(
  record: CallRecord,
  { url, evidence, random, patienceMs, slowOdds = 0 }: CallOptions,
  sessions: Sessions,
): Promise<CallEnd> {
  evidence.calls.set(record.ticket, record)
  const context = { url, evidence, decide: personAt(random, slowOdds), patienceMs }
  const end = await makeCall(record, context, sessions)
  record.end = end
  record.endedAtMs = Date.now()
  return end
}

function newCall({ random, principals }: CrowdOptions, number: number): CallRecord {
  return {
    ticket: `t${number}-${random.int(2 ** 30).toString(36)}`,
    principal: random.pick(principals),
    client: random.pick(['2025-11-25', '2026-07-28']),
    server: random.pick(['old', 'new']),
    asked: random.pick(['client', 'inbox']),
  }
}

/** Makes one call. Returns how it ended for its caller. */
export function makeCall(record: CallRecord, context: CallContext, sessions: Sessions): Promise<CallEnd> {
  return record.client === '2026-07-28' ? callOf2026(record, context) : callOf2025(record, context, sessions)
}

/** The answer of a person at a client, chosen before the question so that a seed reproduces it. */
function personAt(random: SeededRandom, slowOdds: number): CallContext['decide'] {
  const action: Action = random.next() < 0.7 ? 'accept' : 'decline'
  const forMs = random.int(300) + (slowOdds > 0 && random.next() < slowOdds ? slowMs : 0)
  return () => sleep(forMs, { action })
}
