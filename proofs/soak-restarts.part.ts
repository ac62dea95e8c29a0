// Rolling restarts, again and again: two replicas in turn are told to stop and come back, and with them the keys rotate. The
// third is never restarted, so that what it does not let go of can be seen; it is handed its keys.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallRecord, Evidence } from './fleet-evidence.part.ts'
import type { Stage } from './fleet-life.part.ts'
import type { Key } from './fleet-replica.part.ts'
import type { Departure, Fleet } from './fleet-replicas.part.ts'
import type { SeededRandom } from './random.part.ts'

export type Mistake =
  /** Replicas are killed in place of being told to stop. */
  | 'cut off'
  /** A new key seals before all know it. */
  | 'hasty with keys'

export const survivor = 0
const restarted = [1, 2] as const
/** Enough for whatever people are asked; and too little for those who take long, now and then. */
export const usualDrainMs = 15_000
const shortDrainMs = 3_000
const shortEvery = 4
const looksMs = 50
/** How long after a short drain those who hear of it may hear of it. */
const newsTravelsMs = 10_000

export function newKey(number: number): Key {
  return { id: `k${number}`, secret: randomBytes(32).toString('base64') }
}

export class Restarts {
  readonly departures: Departure[] = []
  rotations = 0
  readonly #stage: Stage
  readonly #random: SeededRandom
  readonly #restMs: number
  readonly #mistake: Mistake | undefined
  #key: Key

  constructor(stage: Stage, first: Key, random: SeededRandom, restMs: number, mistake: Mistake | undefined) {
    this.#stage = stage
    this.#key = first
    this.#random = random
    this.#restMs = restMs
    this.#mistake = mistake
  }

  /** One rotation: the new key opens, then it seals, then the old one is dropped when nothing sealed with it is open. */
  async rotate(isOver: () => boolean): Promise<void> {
    const old = this.#key
    this.#key = newKey(this.rotations + 2)
    const steps =
      this.#mistake === 'hasty with keys' ? [[this.#key]] : [[old, this.#key], [this.#key, old], [this.#key]]
    for (const keys of steps) {
      if (keys.length === 1 && this.#mistake === undefined) await this.#untilAllHeard()
      await this.#roll(keys, isOver)
      // A step that was broken off is not followed by the next: not all would know it.
      if (isOver()) return
    }
    this.rotations += 1
  }

  async #roll(keys: readonly Key[], isOver: () => boolean): Promise<void> {
    const { fleet } = this.#stage
    if (this.#mistake === undefined) fleet.tell(survivor, { keys })
    for (const index of restarted) {
      if (isOver()) return
      fleet.use({ keys, drainMs: this.departures.length % shortEvery === 1 ? shortDrainMs : usualDrainMs })
      const departure = await fleet.restart(index, this.#mistake === 'cut off' ? 'SIGKILL' : 'SIGTERM')
      this.departures.push(departure)
      await sleep(this.#restMs * (0.5 + this.#random.next()))
    }
    if (this.#mistake !== undefined) fleet.tell(survivor, { keys })
  }

  /** What is under way now was sealed with any key that is known now. */
  async #untilAllHeard(): Promise<void> {
    const open = [...this.#stage.evidence.calls.values()].filter(({ end }) => end === undefined)
    while (open.some(({ end }) => end === undefined)) await sleep(looksMs)
  }
}

/** What a rolling restart did that it must not do. */
export function judgeRestarts(
  departures: readonly Departure[],
  { calls }: Evidence,
  { kills }: Pick<Fleet, 'kills'>,
): string[] {
  const faults: string[] = []
  for (const { index, code, saidSo, startedAtMs, endedAtMs } of departures) {
    if (code !== 0) faults.push(`replica ${index} ended with ${code} after ${endedAtMs - startedAtMs} ms`)
    if (!saidSo) faults.push(`replica ${index} was gone before it said that it is not ready`)
  }
  for (const call of calls.values())
    if (isHarmed(call, departures)) faults.push(`${call.ticket} ${wordsOf(call, departures)}`)
  if (kills > 0) faults.push(`${kills} replicas died`)
  return faults
}

/** Callers that heard that their call could not be waited for: told in good order, where only a 2025 server can be the reason. */
export function wereTold(departures: readonly Departure[], { calls }: Evidence): CallRecord[] {
  return [...calls.values()].filter((call) => call.end?.kind === 'told' && !isHarmed(call, departures))
}

function isHarmed({ end, server, endedAtMs = 0 }: CallRecord, departures: readonly Departure[]): boolean {
  if (end?.kind === 'broken') return true
  if (end?.kind !== 'told') return false
  const hadNoTime = ({ drainMs, startedAtMs, endedAtMs: goneAtMs }: Departure) =>
    drainMs === shortDrainMs && startedAtMs <= endedAtMs && endedAtMs <= goneAtMs + newsTravelsMs
  return server !== 'old' || !departures.some(hadNoTime)
}

function wordsOf({ client, server, asked, end, endedAtMs = 0 }: CallRecord, departures: readonly Departure[]): string {
  const heard = end?.kind === 'broken' ? `lost its connection (${end.last})` : `was told "${JSON.stringify(end)}"`
  const near = departures.filter(
    ({ startedAtMs, endedAtMs: goneAtMs }) => startedAtMs <= endedAtMs && endedAtMs <= goneAtMs + newsTravelsMs,
  )
  const when = near.map(
    ({ index, endedAtMs: goneAtMs }) => `${endedAtMs - goneAtMs} ms after replica ${index} was gone`,
  )
  return `(${client} client, ${server} server, asked in the ${asked}) ${heard}; ${when.join(', ') || 'nobody was leaving'}`
}
