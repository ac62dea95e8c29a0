// The clients of a fleet that is put to the proof, of both generations: each makes calls, one after the other, through the balancer.
//
// A client that holds something to come back with comes back with it until it hears an end. One whose connection breaks
// before that has heard so, and goes on with another call.

import { setTimeout as sleep } from 'node:timers/promises'
import { betweenTriesMs, type Given } from './fleet-call.part.ts'
import { callOf2025, Sessions } from './fleet-call-2025.part.ts'
import { callOf2026 } from './fleet-call-2026.part.ts'
import type { Action, CallEnd, CallRecord, Evidence } from './fleet-evidence.part.ts'
import type { SeededRandom } from './random.part.ts'

export interface CrowdOptions {
  readonly url: string
  readonly evidence: Evidence
  readonly random: SeededRandom
  readonly principals: readonly string[]
  /** Questions to be put. */
  readonly asks: number
  readonly callers: number
  /** True when no more calls are wanted, however many are left. */
  readonly isOver: () => boolean
  /** How long a call may take before its caller has heard nothing. */
  readonly patienceMs: number
  /** Waited for before each call begins. */
  readonly pace?: () => Promise<void>
  /** How long a caller keeps its sessions before it begins others. Half of the callers end them, half just go. */
  readonly sessionsKeptMs?: number
  /** How many of the people at clients take long, of one. */
  readonly slowOdds?: number
}

/** How long a person at a client takes who takes long. */
const slowMs = 6_000

export async function runCrowd(options: CrowdOptions): Promise<void> {
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

type Minded = Pick<CrowdOptions, 'url' | 'evidence' | 'random' | 'patienceMs' | 'slowOdds'>

/** One call from its beginning to its end, in the evidence. */
export async function callOnRecord(
  record: CallRecord,
  { url, evidence, random, patienceMs, slowOdds = 0 }: Minded,
  sessions: Sessions,
): Promise<CallEnd> {
  evidence.calls.set(record.ticket, record)
  const given = { url, evidence, thinks: mind(random, slowOdds), patienceMs }
  const end = await makeCall(record, given, sessions)
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

/** One call from its beginning to what its caller heard in the end. */
export function makeCall(record: CallRecord, given: Given, sessions: Sessions): Promise<CallEnd> {
  return record.client === '2026-07-28' ? callOf2026(record, given) : callOf2025(record, given, sessions)
}

/** What a person at a client makes of a question, decided before it is asked so that a seed repeats it. */
function mind(random: SeededRandom, slowOdds: number): Given['thinks'] {
  const action: Action = random.next() < 0.7 ? 'accept' : 'decline'
  const forMs = random.int(300) + (slowOdds > 0 && random.next() < slowOdds ? slowMs : 0)
  return () => sleep(forMs, { action })
}
