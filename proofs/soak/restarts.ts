// Repeated rolling restarts: two replicas are stopped and restarted in turn, and the keys rotate with them. The third is
// never restarted, so that leaks become visible; it gets its keys at run time.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '../../test-kit/random.ts'
import type { CallRecord, Evidence } from '../cluster/evidence.ts'
import type { Key } from '../cluster/replica.ts'
import type { GatewayCluster, Shutdown } from '../cluster/replicas.ts'
import type { ClusterContext } from '../cluster/run-cluster.ts'
import type { DatabaseStall } from './database-stalls.ts'

export type Mistake =
  /** Replicas are killed instead of stopped. */
  | 'kills instead of stopping'
  /** A new key seals before all replicas have it. */
  | 'seals with a new key too early'

export const survivor = 0
const restarted = [1, 2] as const
/** Long enough for most people; sometimes too short for those who take long. */
export const usualDrainMs = 15_000
const shortDrainMs = 3_000
const shortEvery = 4
const looksMs = 50
/** How long after a short drain its callers may get the error. */
const errorDelayMs = 10_000
/** How long after a stall of the database callers may still be refused because of it. */
const stallDelayMs = 5_000

export function newKey(number: number): Key {
  return { id: `k${number}`, secret: randomBytes(32).toString('base64') }
}

export class Restarts {
  readonly shutdowns: Shutdown[] = []
  rotations = 0
  readonly #context: ClusterContext
  readonly #random: SeededRandom
  readonly #restMs: number
  readonly #mistake: Mistake | undefined
  #key: Key

  constructor(context: ClusterContext, first: Key, random: SeededRandom, restMs: number, mistake: Mistake | undefined) {
    this.#context = context
    this.#key = first
    this.#random = random
    this.#restMs = restMs
    this.#mistake = mistake
  }

  /** One rotation: the new key opens, then it seals, then the old key is removed when nothing sealed with it is open. */
  async rotate(isOver: () => boolean): Promise<void> {
    const old = this.#key
    this.#key = newKey(this.rotations + 2)
    const steps =
      this.#mistake === 'seals with a new key too early'
        ? [[this.#key]]
        : [[old, this.#key], [this.#key, old], [this.#key]]
    for (const keys of steps) {
      if (keys.length === 1 && this.#mistake === undefined) await this.#untilAllReceived()
      await this.#roll(keys, isOver)
      // An aborted step is not followed by the next: not all replicas have the keys.
      if (isOver()) return
    }
    this.rotations += 1
  }

  async #roll(keys: readonly Key[], isOver: () => boolean): Promise<void> {
    const { gateways } = this.#context
    if (this.#mistake === undefined) gateways.send(survivor, { keys })
    for (const index of restarted) {
      if (isOver()) return
      gateways.use({ keys, drainMs: this.shutdowns.length % shortEvery === 1 ? shortDrainMs : usualDrainMs })
      const departure = await gateways.restart(
        index,
        this.#mistake === 'kills instead of stopping' ? 'SIGKILL' : 'SIGTERM',
      )
      this.shutdowns.push(departure)
      await sleep(this.#restMs * (0.5 + this.#random.next()))
    }
    if (this.#mistake !== undefined) gateways.send(survivor, { keys })
  }

  /** Open states may be sealed with any key that is known now. */
  async #untilAllReceived(): Promise<void> {
    const open = [...this.#context.evidence.calls.values()].filter(({ end }) => end === undefined)
    while (open.some(({ end }) => end === undefined)) await sleep(looksMs)
  }
}

/** The faults of rolling restarts. */
export function judgeRestarts(
  shutdowns: readonly Shutdown[],
  { calls }: Evidence,
  { kills }: Pick<GatewayCluster, 'kills'>,
  stalls: readonly DatabaseStall[],
): string[] {
  const faults: string[] = []
  for (const { index, code, saidSo, startedAtMs, endedAtMs } of shutdowns) {
    if (code !== 0) faults.push(`replica ${index} ended with ${code} after ${endedAtMs - startedAtMs} ms`)
    if (!saidSo) faults.push(`replica ${index} ended before it reported that it is not ready`)
  }
  for (const call of calls.values()) {
    if (failedByRestart(call, shutdowns) && !failedByStall(call, stalls))
      faults.push(`${call.ticket} ${wordsOf(call, shutdowns)}`)
  }
  if (kills > 0) faults.push(`${kills} replicas died`)
  return faults
}

/** Callers that got an error because the drain was too short: allowed only for calls to 2025 servers. */
export function callersWithDrainError(shutdowns: readonly Shutdown[], { calls }: Evidence): CallRecord[] {
  return [...calls.values()].filter((call) => call.end?.kind === 'error' && !failedByRestart(call, shutdowns))
}

function failedByRestart({ end, server, endedAtMs = 0 }: CallRecord, shutdowns: readonly Shutdown[]): boolean {
  if (end?.kind === 'broken') return true
  if (end?.kind !== 'error') return false
  const hadShortDrain = ({ drainMs, startedAtMs, endedAtMs: goneAtMs }: Shutdown) =>
    drainMs === shortDrainMs && startedAtMs <= endedAtMs && endedAtMs <= goneAtMs + errorDelayMs
  return server !== 'old' || !shutdowns.some(hadShortDrain)
}

/** The caller's error says that the database is away, and it was. */
function failedByStall({ end, endedAtMs = 0 }: CallRecord, stalls: readonly DatabaseStall[]): boolean {
  const reason = end?.kind === 'broken' ? end.last : end?.kind === 'error' ? end.message : ''
  if (!reason.includes('cannot reach its database')) return false
  return stalls.some((stall) => stall.startedAtMs <= endedAtMs && endedAtMs <= stall.endedAtMs + stallDelayMs)
}

function wordsOf({ client, server, asked, end, endedAtMs = 0 }: CallRecord, shutdowns: readonly Shutdown[]): string {
  const reply = end?.kind === 'broken' ? `lost its connection (${end.last})` : `got "${JSON.stringify(end)}"`
  const near = shutdowns.filter(
    ({ startedAtMs, endedAtMs: goneAtMs }) => startedAtMs <= endedAtMs && endedAtMs <= goneAtMs + errorDelayMs,
  )
  const when = near.map(({ index, endedAtMs: goneAtMs }) => `${endedAtMs - goneAtMs} ms after replica ${index} ended`)
  return `(${client} client, ${server} server, asked in the ${asked}) ${reply}; ${when.join(', ') || 'no replica was stopping'}`
}
